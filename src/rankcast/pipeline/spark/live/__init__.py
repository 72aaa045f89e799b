"""Shards that live on between micro-batches: what they take in, what they keep, and the processes that hold them.

A shard is too big to be rebuilt for every micro-batch, and Spark gives no Python worker the same shard twice. So each
machine has processes of our own that hold the shards (`host`); Spark's workers pass them the events of a micro-batch and
write back to Spark's state store what they need to come to life again anywhere: pages of users' states, and a journal of
the events since each page was written.
"""
