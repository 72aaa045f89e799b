"""What a service is started with."""

from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from rankcast.errors import ModelError
from rankcast.language.event_limits import EventLimits
from rankcast.model import MOST_POLICY_COST
from rankcast.store.retention_rules import DEFAULTS, Rule, Rules, rules_of

__all__ = ["LOOPBACK", "PUBLISHING", "Limits", "ServiceSettings"]

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that nobody outside of the machine can reach."""

PUBLISHING = "/v1/events"
"""Where events are published."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request, and one token, may ask for.

    `rate` and `burst` are a token bucket per token: so many requests per second on the long run, so many at once.
    `predicates` and `depth` bound an expression below the limits of the language, because a stored expression costs
    time with every event; `subscriptions`, `concepts` and `advertisements` are how many one user, or one publisher, may have of
    their own, and `predicates_of_one` how many predicates all subscriptions of a user have together. `policy_cost` is what a policy
    may cost with every matching event, in microseconds of one core (`rankcast.model.policy_cost`).

    Something may be tried on `history` recent events of `history_bytes` at most, and explained if the log has no more than `explained`
    events. `trials` run at a time, of one user `trials_of_one` run or wait, and each is ended after `trial_seconds`. A page of the log
    has about `page_bytes` at most.

    `pages` and `page_burst` are such a bucket for the web page, per session and, for those who are not signed in, per address;
    `open_pages` is how many pages one session may have open.

    `event_rate` and `event_burst` are such a bucket for the events that a token publishes, however many are in a request, and
    `byte_rate` and `byte_burst` for their bytes. While the service runs the pipeline, a publisher may also have only so many events in the log
    unserved as take `backlog` seconds to serve, and `backlog_events` at most; `backlog_requests` of a token may wait for that.

    Changes of one owner's records may cost `change_rate` seconds of one core per second, and `change_burst` seconds at once.

    `body` bounds a request that publishes, `record` any other, `event` each event. All bodies in memory together have at most
    `in_flight` bytes, those of one token a quarter of that, and a body has to arrive within `arrival` seconds.
    """

    body: int = 8 * 1024 * 1024
    record: int = 1024 * 1024
    in_flight: int = 32 * 1024 * 1024
    arrival: float = 30.0
    event: EventLimits = field(default_factory=EventLimits)
    rate: float = 1_000.0
    burst: int = 2_000
    bulk: int = 10_000
    event_rate: float = 10_000.0
    event_burst: int = 20_000
    byte_rate: int = 16 * 1024 * 1024
    byte_burst: int = 64 * 1024 * 1024
    backlog: float = 0.05
    backlog_events: int = 500
    backlog_requests: int = 64
    change_rate: float = 0.1
    change_burst: float = 0.5
    predicates: int = 200
    depth: int = 20
    policy_cost: float = MOST_POLICY_COST
    subscriptions: int = 10_000
    predicates_of_one: int = 50_000
    concepts: int = 1_000
    advertisements: int = 1_000
    page_bytes: int = 16 * 1024 * 1024
    history: int = 5_000
    history_bytes: int = 32 * 1024 * 1024
    explained: int = 100_000
    trials: int = 2
    trials_of_one: int = 4
    trial_seconds: float = 10.0
    pages: float = 10.0
    page_burst: int = 100
    open_pages: int = 50
    feeds: int = 1_000
    feeds_of_one: int = 50
    resume: int = 10_000


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """One service: which store, where it listens, and whether it runs the pipeline itself.

    `dev` serves without tokens, everybody being the administrator; it is refused on an address that others can
    reach. With `own_process` the pipeline runs in a child process rather than in a thread: it starts a second later, and
    has a processor of its own. One who signed in to the page is signed out after `session_idle` without use, and after `session_length`
    in any case. `public_url` is where others find the service, if that is not where it listens: behind a proxy.
    With `tls_cert` and `tls_key`, files in PEM format, the service speaks HTTPS itself. Digests and dead letters
    of webhooks are forgotten after `kept_days`. `keep` says how long other rows are kept, such as ``events=30d`` (see
    `rankcast.store.retention_rules`); events and deliveries stay unless it says otherwise.
    """

    store: str = "rankcast.db"
    host: str = "127.0.0.1"
    port: int = 8765
    dev: bool = False
    pipeline: bool = True
    page: bool = True
    shards: int | None = None
    heartbeat: float = 15.0
    poll: float = 0.5
    private_webhooks: bool = False
    kept_days: int = 90
    keep: tuple[str, ...] = ()
    own_process: bool = False
    session_idle: timedelta = timedelta(days=1)
    session_length: timedelta = timedelta(days=30)
    public_url: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.dev and self.host not in LOOPBACK:
            raise ModelError(
                f"--dev serves without tokens, so only on this machine: host is {self.host!r}; "
                f"leave --dev out, or use {LOOPBACK[0]}"
            )
        if self.heartbeat <= 0 or self.poll <= 0:
            raise ModelError("heartbeat and poll must be above 0 seconds")
        if self.session_idle <= timedelta(0) or self.session_length <= timedelta(0):
            raise ModelError("session_idle and session_length must be above 0 seconds")
        if self.public_url is not None:
            _check_public_url(self.public_url)
        if (self.tls_cert is None) != (self.tls_key is None):
            missing = "--tls-cert" if self.tls_cert is None else "--tls-key"
            raise ModelError(f"{missing} is missing; HTTPS needs both --tls-cert and --tls-key")
        if self.kept_days < 1:
            raise ModelError(f"kept_days is {self.kept_days}; it must be at least 1")
        rules_of(self.keep, {})  # which refuses what it does not understand

    @property
    def retention(self) -> Rules:
        """The rule of each kind of rows."""
        pushed = Rule(age=timedelta(days=self.kept_days))
        return rules_of(self.keep, {**DEFAULTS, "digests": pushed, "dead-letters": pushed})

    @property
    def address(self) -> str:
        """Where a browser finds the service: the public address, or the one on this machine."""
        if self.public_url is not None:
            return self.public_url.rstrip("/")
        host = "localhost" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104  only compared
        return f"{self.scheme}://[{host}]:{self.port}" if ":" in host else f"{self.scheme}://{host}:{self.port}"

    @property
    def scheme(self) -> str:
        """How the service itself is spoken to, whatever a proxy in front of it does."""
        return "http" if self.tls_cert is None else "https"

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the service by HTTPS."""
        return self.address.startswith("https://")


def _check_public_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_fine = False
        parts = urlsplit("")
    if not is_fine or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ModelError(f"--public-url is {url!r}; it must be like https://rankcast.example.org, without a path")
