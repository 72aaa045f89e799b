"""``rankcast serve``: the API, the web page and the pipeline, in one process."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, StorePath
from rankcast.cli.output import Output

__all__ = ["serve"]


def serve(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="On which port.")] = 8765,
    dev: Annotated[
        bool, typer.Option("--dev", help="Without tokens: everybody on this machine may do everything.")
    ] = False,
    pipeline: Annotated[
        bool, typer.Option("--pipeline/--no-pipeline", help="Serve what is published, or leave that to rankcast run.")
    ] = True,
    page: Annotated[bool, typer.Option("--page/--no-page", help="With the web page, or the API alone.")] = True,
    store: StorePath = DEFAULT_STORE,
) -> None:
    """Serve the HTTP API and the web page, and work off what is published. The store is made if it is not there.

    Example:

      rankcast serve --dev
      rankcast serve --store movies.db --port 9000
    """
    import uvicorn

    from rankcast.serve import Settings, create_app

    out = Output()
    settings = Settings(store=store, host=host, port=port, dev=dev, pipeline=pipeline, page=page)
    app = create_app(settings)
    out.say(f"{store} is served at {settings.address}; Ctrl-C ends it")
    uvicorn.run(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=5)
