"""In a job of Spark, what fails for one user or one event is set aside, everybody else is served, and it can be served again."""

from sqlalchemy import text

from rankcast.engine.pages import PageEvents, pack_page, page_states
from rankcast.engine.reference.shard import Shard
from rankcast.pipeline.local import serve_pending
from rankcast.pipeline.serve_again import serve_again
from rankcast.pipeline.spark import serve_store
from rankcast.pipeline.spark.failures import wait_for
from rankcast.store import Store

HURT, POISONED = "user4", 30
READ = text("SELECT content FROM events WHERE event_offset = :at")
WRITE = text("UPDATE events SET content = :content WHERE event_offset = :at")


def put_state(store, user, state):
    """Let the state of a user that a process left in the store be another."""
    with store.database.writing() as connection:
        for mark, content in store.saved_state().pages:
            users = page_states(content, PageEvents({}))
            if user in users:
                where = {"shard": mark.shard, "page": mark.page}
                new = pack_page({**users, user: state}, mark.offset + 1).content
                connection.execute(
                    text("UPDATE state_pages SET content = :new WHERE shard = :shard AND page = :page"),
                    {"new": new, **where},
                )


def test_a_user_and_an_event_that_fail_harm_nobody_and_are_served_again(spark, world, tmp_path):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(20))
        list(serve_pending(store, shards=2))
        put_state(store, HURT, {"mode": "poisoned"})
        store.publish(world.events(20, first=20))
        with store.database.writing() as connection:
            content = connection.execute(READ, {"at": POISONED}).scalar_one()
            connection.execute(WRITE, {"content": "{", "at": POISONED})

        wait_for(serve_store(spark, tmp_path / "s.db", tmp_path / "checkpoint", shards=2, trigger=None))

        assert store.progress().offset == 40
        assert {(row.user, row.event) for row in store.set_aside()} == {(HURT, None), (None, f"e{POISONED - 1:05d}")}
        with store.database.writing() as connection:
            connection.execute(WRITE, {"content": content, "at": POISONED})
        whole = world.expected(store, close=False)
        shard = Shard(store.catalog())
        without = shard.publish([entry.event for entry in store.events() if entry.offset != POISONED])
        others = sorted((one for one in without if one.user != HURT), key=lambda one: one.order)
        assert [one for one in world.delivered(store) if one.user != HURT] == others

        done = serve_again(store)
        assert (done.done, done.failed, done.goes_on) == (2, 0, False)
        again = world.delivered(store)
        assert [one for one in again if one.user == HURT] == [one for one in whole if one.user == HURT]
        missed = f"e{POISONED - 1:05d}"
        assert [one for one in again if one.event == missed] == [one for one in whole if one.event == missed]
        assert store.set_aside() == []
