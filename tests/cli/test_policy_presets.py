"""``rankcast policy --preset``."""

import json
from typing import Any


def test_a_preset_replaces_the_policy_and_options_go_before_it(store: Any) -> None:
    store("policy", "--user", "ann", "--mode", "history", "--k", "9", "--length", "7", "--sigma", "0.1")
    made = json.loads(store("policy", "--user", "ann", "--preset", "only the best", "--k", "2", "--json").stdout)
    assert made == {"kind": "policy", "user": "ann", "mode": "periodic", "k": 2, "length": "1d"}


def test_an_unknown_preset_is_refused(store: Any) -> None:
    assert "there is no preset 'loud'" in store("policy", "--user", "ann", "--preset", "loud", code=2).stderr
