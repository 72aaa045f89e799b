"""The layouts of an index, and the two searches, on catalogs that would be too small for most of them."""

import pytest

from rankcast.engine.index import building, index

NEVER = 10**6
LAYOUTS = {
    "as small catalogs have it": {},
    "second keys and shared literals, events alone": {"_LONG": 0, "_OFTEN": 1, "_FEW": NEVER},
    "second keys and shared literals, events in blocks": {"_LONG": 0, "_OFTEN": 1, "_FEW": 0},
    "nothing shared, events in blocks": {"_OFTEN": NEVER, "_FEW": 0},
}


@pytest.fixture(params=LAYOUTS)
def layout(request, monkeypatch):
    for name, value in LAYOUTS[request.param].items():
        monkeypatch.setattr(index if name == "_FEW" else building, name, value)
    return request.param
