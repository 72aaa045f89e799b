"""The settings of a service."""

from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from rankcast.errors import ModelError
from rankcast.language import parse_time
from rankcast.language.event_limits import EventLimits
from rankcast.model import MOST_POLICY_COST
from rankcast.overlay import STRATEGIES
from rankcast.store.retention.rules import DEFAULTS, RetentionRule, Rules, rules_of

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that cannot be reached from outside the machine."""

PUBLISHING = "/v1/events"
"""The path at which events are published."""

EDGE_SESSIONS = "/v1/brokers/sessions/"
"""The beginning of the paths at which edges send messages."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what one request and one token may ask for.

    `rate` and `burst` are a token bucket per token: requests per second in the long run, and requests at once.
    `predicates` and `depth` bound an expression below the limits of the language, because a stored expression costs
    time with every event. `subscriptions`, `concepts` and `advertisements` bound how many of each one user or
    publisher may have, and `predicates_of_one` bounds the total number of predicates in all subscriptions of a user.
    `policy_cost` bounds the cost of a policy per matching event, in microseconds of one core
    (`rankcast.model.policy_cost`).

    Trials use at most `history` recent events of at most `history_bytes` in total. An explanation
    replays at most `explained` earlier events. At most `trials` trials run at a time, and at most `trials_of_one` trials of one
    user run or wait. Each trial is ended after `trial_seconds`. A page of the log has about `page_bytes` at most.

    `pages` and `page_burst` are a token bucket for the web page, per session, or per network address before signing
    in. One session may have `open_pages` pages open. Each of a session's messages from open pages, such as a click,
    takes from a bucket of `messages` and `message_burst`. `probes` and `probe_burst` are a token bucket for questions about
    health, per network address. It is apart from that of other requests without a token, so these delay no probe.

    `event_rate` and `event_burst` are a token bucket for the events that a token publishes, however they are divided
    into requests. `byte_rate` and `byte_burst` are one for their bytes. While the service runs the pipeline, the
    unserved events of all publishers may take at most `backlog` seconds to serve, and those of one publisher may number
    at most `backlog_events`. At most `backlog_requests` requests of a token may wait for room.

    Changes of one owner's records may use `change_rate` seconds of one core per second, and `change_burst` seconds at
    once.

    While other tokens are active, requests of one token of a user or publisher may use `processor_rate` seconds of one
    core per second, and `processor_burst` seconds at once. Further requests wait.

    `body` bounds a request with events in bytes, `record` any other request, and `event` each event. All bodies in
    memory together have at most `in_flight` bytes, and those of one token at most a quarter of that. A body must
    arrive within `arrival` seconds.
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
    backlog: float = 0.02
    backlog_events: int = 500
    backlog_requests: int = 64
    change_rate: float = 0.1
    change_burst: float = 0.5
    processor_rate: float = 0.1
    processor_burst: float = 0.5
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
    messages: float = 50.0
    message_burst: int = 500
    probes: float = 100.0
    probe_burst: int = 200
    feeds: int = 1_000
    feeds_of_one: int = 50
    resume: int = 10_000


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The settings of one service: which store, where it listens, and whether it runs the pipeline.

    `dev` serves without tokens and treats everybody as the administrator. It is refused on an address that others can
    reach. With `own_process` the pipeline runs in a child process instead of a thread: it starts a second later, and
    has its own processor. Page sessions end after `session_idle` without use, and after `session_length` in any case.
    `public_url` is the address at which others reach the service if it is not where it listens, for example behind a
    proxy. With `tls_cert` and `tls_key`, files in PEM format, the service itself uses HTTPS. Digests and dead letters
    of webhooks are deleted after `kept_days`. `keep` says how long other rows are kept, such as ``events=30d`` (see
    `rankcast.store.retention.rules`). Events and deliveries are kept forever unless it says otherwise.

    With `upstream`, the service is the edge of the broker at that URL; `upstream_since` is the time from which on a new
    edge gets events. `broker` is the name in the tree. `strategies` say how brokers forward for the advertisements that
    are made here: a name for all, or ``a1=ancestor-fair`` for one. The shared concepts of the attributes `mined` are
    mined again after each `mine_every`.
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
    broker: str | None = None
    upstream: str | None = None
    upstream_token: str | None = field(default=None, repr=False)
    upstream_since: str | None = None
    strategies: tuple[str, ...] = ()
    mined: tuple[str, ...] = ()
    mine_every: timedelta = timedelta(hours=1)

    def __post_init__(self) -> None:
        if self.dev and self.host not in LOOPBACK:
            raise ModelError(
                f"--dev serves without tokens, so only on this machine: host is {self.host!r}; "
                f"leave --dev out, or use {LOOPBACK[0]}"
            )
        if self.heartbeat <= 0 or self.poll <= 0:
            raise ModelError("heartbeat and poll must be above 0 seconds")
        if self.mine_every < timedelta(seconds=1):
            raise ModelError("mine_every must be at least 1 second")
        if self.session_idle <= timedelta(0) or self.session_length <= timedelta(0):
            raise ModelError("session_idle and session_length must be above 0 seconds")
        if self.public_url is not None:
            _check_public_url(self.public_url)
        if (self.tls_cert is None) != (self.tls_key is None):
            missing = "--tls-cert" if self.tls_cert is None else "--tls-key"
            raise ModelError(f"{missing} is missing; HTTPS needs both --tls-cert and --tls-key")
        if self.kept_days < 1:
            raise ModelError(f"kept_days is {self.kept_days}; it must be at least 1")
        rules_of(self.keep, {})  # refuses rules that it cannot parse
        for given in self.strategies:
            _check_strategy(given)
        if self.upstream is not None and urlsplit(self.upstream).scheme not in ("http", "https"):
            raise ModelError(f"the upstream is {self.upstream!r}; it must be a URL like https://rankcast.example.org")
        if self.upstream_since is not None:
            parse_time(self.upstream_since)

    def strategy_of(self, advertisement: str) -> str:
        """The name of the strategy by which brokers forward for an advertisement."""
        named = dict(given.rsplit("=", 1) for given in self.strategies if "=" in given)
        others = [given for given in self.strategies if "=" not in given]
        return named.get(advertisement, others[-1] if others else "ancestor-cover")

    @property
    def retention(self) -> Rules:
        """The retention rule for each kind of row."""
        pushed = RetentionRule(age=timedelta(days=self.kept_days))
        return rules_of(self.keep, {**DEFAULTS, "digests": pushed, "dead-letters": pushed})

    @property
    def address(self) -> str:
        """The address for browsers: the public address, or the one on this machine."""
        if self.public_url is not None:
            return self.public_url.rstrip("/")
        host = "localhost" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104  only compared
        return f"{self.scheme}://[{host}]:{self.port}" if ":" in host else f"{self.scheme}://{host}:{self.port}"

    @property
    def scheme(self) -> str:
        """The scheme that the service itself uses, regardless of a proxy in front of it."""
        return "http" if self.tls_cert is None else "https"

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the service over HTTPS."""
        return self.address.startswith("https://")


def _check_strategy(given: str) -> None:
    name = given.rsplit("=", 1)[-1]
    fine = [one for one, strategy in STRATEGIES.items() if strategy.is_top_k]
    if name not in fine:
        raise ModelError(f"there is no strategy {name!r} for advertisements; use one of {', '.join(fine)}")


def _check_public_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_fine = False
        parts = urlsplit("")
    if not is_fine or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ModelError(f"--public-url is {url!r}; it must be like https://rankcast.example.org, without a path")
