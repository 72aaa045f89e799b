"""One request to one endpoint, and the meaning of its response."""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache

import httpx

from rankcast.service.push.webhooks.addresses import Resolve, is_public, resolve, target_of

_GONE = 410


@dataclass(frozen=True, slots=True)
class PostOutcome:
    """The outcome of a request: the status (None without a response), a description, and the requested delay."""

    status: int | None
    reason: str
    retry_after: timedelta | None = None

    @property
    def accepted(self) -> bool:
        """Whether the receiver accepted the message: any status from 200 to 299."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """Whether the receiver wants no further messages."""
        return self.status == _GONE


class Poster:
    """Sends requests to the current addresses of a host, if all of them are permitted.

    It resolves the name, checks the addresses, and connects to a checked address. So a name that resolves differently
    at the next look-up (DNS rebinding) cannot bypass the check. Certificates are still verified against the name. It
    does not follow redirects, ignores proxies of the environment, and does not reuse connections, because two hosts
    at one address must not share one. `timeout` bounds the whole request, from the look-up to the response headers.
    At most `body_limit` bytes of the response body are read, and its content does not matter.
    """

    def __init__(
        self,
        allow_private: bool = False,
        timeout: float = 15.0,
        body_limit: int = 16 * 1024,
        resolving: Resolve = resolve,
        verify: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._timeout = timeout
        self._body_limit = body_limit
        self._resolving = resolving
        self._client = httpx.AsyncClient(
            verify=verify or _trusted(),
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # noqa: S113  the whole is bounded below
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, now: datetime) -> PostOutcome:
        """Send the body. Never raises for errors of the receiver or the network. `now` is for `Retry-After` dates."""
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._answer(url, headers, body)
        except TimeoutError:
            return PostOutcome(None, f"no answer within {self._timeout:g} s")
        except socket.gaierror as error:
            return PostOutcome(None, f"the host was not found: {error.strerror}")
        except (httpx.HTTPError, OSError, ssl.SSLError) as error:
            return PostOutcome(None, f"the connection failed: {_plain(error)}")
        return answer if isinstance(answer, PostOutcome) else await self._outcome(answer, now)

    async def __aenter__(self) -> "Poster":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.aclose()

    async def _answer(self, url: str, headers: Mapping[str, str], body: bytes) -> PostOutcome | httpx.Response:
        """The response after its headers have arrived, or an outcome if nothing may be sent."""
        target = target_of(url)
        addresses = await self._resolving(target.host, target.port)
        if not self._allow_private and not all(map(is_public, addresses)):
            return PostOutcome(None, "refused: the host has an address that is not of the public Internet")
        failure: httpx.HTTPError = httpx.ConnectError("the host has no address")
        for address in addresses:
            request = self._client.build_request(
                "POST",
                target.at(address),
                content=body,
                headers={**headers, "host": target.authority, "content-type": "application/json"},
                extensions={"sni_hostname": target.host},
            )
            try:
                return await self._client.send(request, stream=True)
            except httpx.ConnectError as error:  # nothing was sent yet, so try another address
                failure = error
        raise failure

    async def _outcome(self, response: httpx.Response, now: datetime) -> PostOutcome:
        outcome = PostOutcome(response.status_code, _said(response), _retry_after(response, now))
        try:
            # Read the response as a courtesy to the receiver. It no longer affects the outcome.
            async with asyncio.timeout(1.0):
                read = 0
                async for chunk in response.aiter_raw():
                    read += len(chunk)
                    if read > self._body_limit:
                        break
        except (TimeoutError, httpx.HTTPError, OSError):
            pass
        finally:
            await response.aclose()
        return outcome


@cache
def _trusted() -> ssl.SSLContext:
    """The certificate authorities that this machine trusts. Cached, because reading them takes a while."""
    return ssl.create_default_context()


def _said(response: httpx.Response) -> str:
    if 300 <= response.status_code < 400:
        return f"answered {response.status_code}, a redirect, which is not followed; change the URL of the webhook"
    return f"answered {response.status_code}"


def _retry_after(response: httpx.Response, now: datetime) -> timedelta | None:
    """The delay that the header `Retry-After` asks for, in seconds or as a date."""
    asked = response.headers.get("retry-after", "").strip()
    try:
        if asked.isascii() and asked.isdigit():
            return timedelta(seconds=min(int(asked[:9]), 10**8))
        when = parsedate_to_datetime(asked)
        return max((when if when.tzinfo else when.replace(tzinfo=UTC)) - now, timedelta(0))
    except (ValueError, OverflowError):
        return None


def _plain(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text.splitlines()[0][:200]
