"""The OpenAPI document, and the API reference as a page that is generated from it without external resources."""

import json
import re
from html import escape

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from rankcast.plain import JsonObject
from rankcast.service.callers import admit_stranger

router = APIRouter(include_in_schema=False, dependencies=[Depends(admit_stranger)])

_STYLE = """
:root { color-scheme: light dark; --soft: light-dark(#5b6472, #9aa5b4); --line: light-dark(#d9dee5, #343c48);
  --card: light-dark(#f6f8fa, #1b2129); --accent: light-dark(#1f6f5c, #6fcfb6); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 6rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); text-transform: capitalize; }
details { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
code, pre { font: .9em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line); border-radius: .4rem; }
.method { display: inline-block; min-width: 4.2em; font-weight: 700; color: var(--accent); }
.soft { color: var(--soft); } table { border-collapse: collapse; } td { padding: .15rem 1rem .15rem 0; vertical-align: top; }
nav a { margin-right: 1rem; } a { color: var(--accent); }
"""


@router.get("/openapi.json")
async def openapi(request: Request) -> Response:
    """The OpenAPI document."""
    return JSONResponse(request.app.openapi())


@router.get("/docs")
async def reference(request: Request) -> Response:
    """All routes by resource, with their parameters and responses."""
    return HTMLResponse(_page(request.app.openapi()))


def _page(document: JsonObject) -> str:
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            groups.setdefault(said["tags"][0], []).append(_route(document, path, method, said))
    links = "".join(f'<a href="#{escape(name)}">{escape(name)}</a> ' for name in groups)
    parts = "".join(f'<h2 id="{escape(name)}">{escape(name)}</h2>{"".join(routes)}' for name, routes in groups.items())
    about = "".join(f"<p>{_words(text)}</p>" for text in document["info"]["description"].split("\n\n"))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rankcast: the API</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><h1>Rankcast: the API</h1>{about}"
        "<p>Every request needs a token, as <code>Authorization: Bearer rc_…</code>, unless the service was started with "
        '<code>--dev</code>. For programs: <a href="/v1/openapi.json">the OpenAPI document</a>.</p>'
        f"<nav>{links}</nav>{parts}</body></html>"
    )


def _route(document: JsonObject, path: str, method: str, said: JsonObject) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td class=soft>{escape(one['in'])}</td>"
        f"<td>{_words(one.get('description', ''))}</td></tr>"
        for one in said.get("parameters", [])
    )
    body = said.get("requestBody", {}).get("content", {})
    takes = "".join(
        f"<p>Takes <code>{escape(kind)}</code>{_example(document, form)}</p>" for kind, form in body.items()
    )
    answers = "".join(
        f"<tr><td><code>{escape(status)}</code></td><td>{_words(one['description'])}</td></tr>"
        for status, one in said["responses"].items()
    )
    shown: JsonObject = next((one for status, one in said["responses"].items() if status.startswith("2")), {})
    example = "".join(_example(document, form) for form in shown.get("content", {}).values())
    first, _, rest = said.get("description", "").partition("\n\n")
    return (
        f"<details><summary><span class=method>{method.upper()}</span> <code>{escape(path)}</code><br>"
        f"<span class=soft>{_words(first)}</span></summary><p>{_words(rest)}</p><table>{rows}</table>{takes}"
        f"<p>Answers</p>{example}<table>{answers}</table></details>"
    )


def _words(text: str) -> str:
    """Escaped text with the parts between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _example(document: JsonObject, form: JsonObject) -> str:
    name = form.get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
    example = document["components"]["schemas"].get(name, {}).get("example")
    return "" if example is None else f"<pre>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</pre>"
