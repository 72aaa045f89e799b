"""``rankcast serve``: run the API, the web page and the pipeline with one command."""

import shlex
import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import (
    DEFAULT_STORE,
    MOST_RATE,
    Json,
    MaxAhead,
    MaxEventSize,
    MaxPolicyCost,
    RetentionRules,
    StorePath,
    bounded,
    duration,
)
from rankcast.cli.output import Output
from rankcast.extras import require
from rankcast.model import MOST_POLICY_COST
from rankcast.model.actors import acting

if TYPE_CHECKING:
    from rankcast.service import Service

_PATIENCE = 20.0
"""Seconds that the service has to stop. Supervisors (systemd, Kubernetes) wait for 30 seconds or more."""


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for all network interfaces.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8765,
    public_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Public URL behind a proxy, such as https://rankcast.example.org."),
    ] = None,
    tls_cert: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Serve HTTPS with this certificate (PEM, with its chain)."),
    ] = None,
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="Private key of the certificate (PEM).")] = None,
    dev: Annotated[
        bool, typer.Option("--dev", help="Require no tokens: everybody on this machine may do everything.")
    ] = False,
    pipeline: Annotated[
        bool, typer.Option("--pipeline/--no-pipeline", help="Run the pipeline here, or leave it to rankcast run.")
    ] = True,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve the web page too, or only the API.")] = True,
    rate: Annotated[
        float, bounded(1, MOST_RATE, metavar="N", help="Maximum number of requests per second and token.")
    ] = 1000.0,
    event_rate: Annotated[
        float, bounded(1, MOST_RATE, metavar="N", help="Maximum number of published events per second and token.")
    ] = 10_000.0,
    max_backlog: Annotated[
        float,
        bounded(0.001, 3600, metavar="SECONDS", help="Serving time that all publishers may have waiting in the log."),
    ] = 0.02,
    max_event_size: MaxEventSize = 256 * 1024,
    max_ahead: MaxAhead = "1h",
    max_policy_cost: MaxPolicyCost = MOST_POLICY_COST,
    trial_seconds: Annotated[
        float, bounded(0.1, 3600, metavar="SECONDS", help="Time limit for a trial or an explanation.")
    ] = 10.0,
    private_webhooks: Annotated[
        bool, typer.Option("--private-webhooks", help="Allow webhooks to private addresses, such as this machine.")
    ] = False,
    kept_days: Annotated[
        int, bounded(1, 36_500, metavar="DAYS", help="Delete digests and dead letters after this many days.")
    ] = 90,
    keep: RetentionRules = None,
    world: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Open a built-in demo dataset, movies or market, and stream its events."),
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Be an edge of the Rankcast at this URL: share publications with its tree."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            envvar="RANKCAST_UPSTREAM_TOKEN",
            help="Token of this broker at the upstream (rankcast token create --broker NAME).",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="A new edge gets events from this time on; by default from the moment it joins."
        ),
    ] = None,
    broker_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of this broker in the tree; an edge is named by its token."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ID=]STRATEGY",
            help="How brokers forward for advertisements made here: regular, rank-cover, ancestor-cover (default) or "
            "ancestor-fair; for one advertisement with its id.",
        ),
    ] = None,
    mine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTRIBUTE", help="Keep mining the concepts of this attribute from recent events. May be repeated."
        ),
    ] = None,
    mine_every: Annotated[str, duration(metavar="DURATION", help="Time between two runs of --mine.")] = "1h",
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Run the HTTP API, the web page and the pipeline. The store is created if it does not exist.

    Clients need a token (rankcast token create), unless --dev is set, which serves this machine only.

    Example:

      rankcast serve --dev
      rankcast serve --dev --world movies
      rankcast serve --store movies.db --host 0.0.0.0 --port 9000
      rankcast serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
      rankcast serve --upstream https://rankcast.example.org --token rc_...
    """
    from dataclasses import replace

    require("serve", *(["demo"] if world is not None else []))
    from rankcast.language import parse_duration
    from rankcast.language.event_limits import EventLimits
    from rankcast.service import Limits, ServiceSettings, create_app
    from rankcast.service.demos import stream_of
    from rankcast.service.demos import world as named
    from rankcast.service.running import HttpServer, bound, check_certificate

    out = Output(json)
    if world is not None:
        named(world)  # refuses an unknown name before anything is created
    event_limits = EventLimits(max_event_size, parse_duration(max_ahead))
    limits = Limits(
        policy_cost=max_policy_cost,
        trial_seconds=trial_seconds,
        rate=rate,
        burst=round(2 * rate),
        event_rate=event_rate,
        event_burst=max(Limits().bulk, round(2 * event_rate)),
        backlog=max_backlog,
        event=event_limits,
    )
    settings = ServiceSettings(
        store,
        host,
        port,
        dev,
        pipeline,
        page,
        private_webhooks=private_webhooks,
        kept_days=kept_days,
        keep=tuple(keep or ()),
        own_process=True,
        public_url=public_url,
        tls_cert=tls_cert,
        tls_key=tls_key,
        limits=limits,
        broker=broker_name,
        upstream=upstream,
        upstream_token=token,
        upstream_since=since,
        strategies=tuple(strategy or ()),
        mined=tuple(mine or ()),
        mine_every=parse_duration(mine_every),
    )
    # A thread that has waited for the disk gets the interpreter after 0.2 ms instead of 5: publishers wait for it.
    sys.setswitchinterval(0.0002)
    check_certificate(settings)
    listening = bound(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    app = create_app(settings)
    service: Service = app.state.service
    service.start()  # here and not in the server, so that an error is shown in one line
    if world is not None:
        stream_of(service, world).open()
    server = HttpServer(app, ready=lambda: _greet(out, service), patience=_PATIENCE)
    # uvicorn raises the signal again after an orderly shutdown; ignore it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)
    with acting(None):  # whoever sends a request is the actor
        server.serve_on(listening)
    out.say("stopped; everything acknowledged is in the store")


def _greet(out: Output, service: "Service") -> None:
    """Print the address, and on the first start an administrator token."""
    from rankcast.service.access import Role

    settings, place = service.settings, service.store.database.place
    if out.json:
        out.record({"store": place, "address": settings.address, "dev": settings.dev})
        out.flush()
    out.say(f"{place} is served at {settings.address} (stop with Ctrl-C)")
    out.say(f"  API documentation: {settings.address}/v1/docs")
    if settings.dev:
        out.say("  no tokens required, this machine only (--dev)")
    elif service.access.is_empty() and sys.stderr.isatty():
        token, _ = service.access.create(Role.ADMINISTRATOR, note="made at the first start")
        out.say(f"\n  There were no tokens yet. This administrator token is shown only once; keep it:\n\n    {token}\n")
        out.say("  Create more with: rankcast token create --user NAME")
    elif service.access.is_empty():
        where = shlex.quote(place)
        out.say(f"  there are no tokens yet; create one with: rankcast token create --administrator --store {where}")
