"""Whatever happens between two digests, they tell the whole truth about the log."""

from datetime import timedelta

from digest_samples import COMEDY, DRAMA, MORNINGS
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rankcast.engine.explain.reasons import Reason
from rankcast.language import decode_event, decode_record
from rankcast.pipeline.local import serve_pending
from rankcast.service.push.digests import Digests, read_digest
from rankcast.service.push.digests.making import deliveries_of
from rankcast.store import Store

POLICIES = st.sampled_from(
    [
        {"mode": "all"},
        {"mode": "periodic", "k": 1, "length": 3},
        {"mode": "periodic", "k": 2, "length": 5, "sigma": 0.3},
        {"mode": "periodic", "k": 2, "length": "4s"},
        {"mode": "periodic", "k": 2, "length": 3, "unit": "matched"},
        {"mode": "sliding", "k": 2, "length": 4, "sigma": 0.5},
        {"mode": "sliding", "k": 1, "length": 3},
        {"mode": "history", "k": 2, "length": 4, "sigma": 0.5},
        {"mode": "all", "filter": {"novelty": "threshold", "rate": 0.5, "period": 4}},
        {"mode": "periodic", "k": 1, "length": 4, "filter": {"novelty": "random", "rate": 0.5}},
        {"mode": "all", "score": {"preference": 0.5, "novelty": 0.5}, "filter": {"novelty": "random", "rate": 0.7}},
    ]
)
CUTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["drama", "comedy", "horror"]), max_size=9),
        st.sampled_from(["nothing", "policy", "subscribe", "unsubscribe", "bob"]),
    ),
    min_size=1,
    max_size=5,
)


@example(
    [{"mode": "periodic", "k": 2, "length": "4s"}] * 5,
    [(["drama"], "nothing"), (["drama"] * 5, "nothing")],
)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(POLICIES, min_size=5, max_size=5), CUTS)
def test_whatever_happens_nothing_is_lost_or_twice_and_all_is_accounted_for(tmp_path_factory, policies, cuts):
    """Digests cut the deliveries into pieces; what matched was sent, was left out, or waits; retracing agrees with the
    pipeline; and one who starts anew between any two digests makes the same."""
    now = MORNINGS.after(decode_event({"id": "x", "time": "2026-05-04", "attributes": {}}).time)

    def clock():
        return now

    place = tmp_path_factory.mktemp("store") / "store.db"
    with Store.create(place, clock=clock) as store:

        def put(*records):
            store.change(put=[decode_record({"user": "ann", **record}) for record in records])

        class Service:
            pass

        Service.store = store
        put(DRAMA, COMEDY, {"kind": "policy", **policies[0]})
        Digests(Service).set_schedule("ann", MORNINGS)
        count, waiting, found = 0, 0, []
        for (genres, change), policy in zip(cuts, policies, strict=False):
            events = []
            for genre in genres:
                count += 1
                now += timedelta(seconds=1)
                events.append(decode_event({"id": f"e{count}", "attributes": {"genre": genre}}, now=now))
            store.publish(events)
            list(serve_pending(store, batch=4))
            match change:
                case "policy":
                    put({"kind": "policy", **policy})
                case "subscribe":
                    put(DRAMA, {**COMEDY, "score": 1.0})
                case "unsubscribe":
                    kept = store.catalog().subscriptions_of("ann")
                    store.change(remove=kept[:1])
                case "bob":
                    put({"kind": "subscription", "id": "b1", "user": "bob", "where": f"year = {count}"})
            now = MORNINGS.after(now)
            (number,) = Digests(Service).round()
            digest = read_digest(store, "ann", number)
            counts = digest.kept.counts
            assert counts["exact"], counts
            assert waiting + counts["matched"] + counts["reconsidered"] == (
                counts["delivered"] + counts["left_out"] + counts["waiting"]
            )
            assert sum(counts["reasons"].values()) == counts["left_out"]
            assert set(counts["reasons"]) <= {reason.value for reason in Reason}
            waiting = counts["waiting"]
            found += [place for place, _ in deliveries_of(store, digest.kept)]
        assert found == [place for place, _ in store.deliveries("ann")]
