"""``rankcast policy --preset``."""

import json
from typing import Any

from rankcast.language import PRESETS, decode_record
from rankcast.model import Policy, Update


def test_a_preset_replaces_the_policy_and_options_go_before_it(store: Any) -> None:
    store("policy", "--user", "ann", "--mode", "history", "--k", "9", "--length", "7", "--sigma", "0.1")
    made = json.loads(store("policy", "--user", "ann", "--preset", "only the best", "--k", "2", "--json").stdout)
    assert made == {"kind": "policy", "user": "ann", "mode": "periodic", "k": 2, "length": "1d"}


def test_an_unknown_preset_is_refused(store: Any) -> None:
    assert "there is no preset 'loud'" in store("policy", "--user", "ann", "--preset", "loud", code=2).stderr


def test_presets_and_commands_pace_a_threshold_and_a_record_that_says_nothing_stays_lazy(store: Any) -> None:
    """A threshold of the past starves a user whom a subscription joins (issue 17, mend 5)."""
    for preset in PRESETS:
        made = json.loads(store("policy", "--user", "ann", "--preset", preset, "--json").stdout)
        if made.get("filter", {}).get("novelty") == "threshold":
            assert made["filter"]["update"] == "paced", preset
    made = json.loads(
        store("policy", "--user", "bob", "--filter", "threshold", "--rate", "0.2", "--period", "9", "--json").stdout
    )
    assert made["filter"]["update"] == "paced"
    silent = {"kind": "policy", "user": "cid", "filter": {"novelty": "threshold", "rate": 0.2, "period": 9}}
    record = decode_record(silent)
    assert isinstance(record, Policy)
    assert record.filter is not None
    assert record.filter.update is Update.LAZY
