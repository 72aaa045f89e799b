"""Shards that stay alive between micro-batches: their input, their saved state, and the processes that hold them.

A shard is too big to be rebuilt for every micro-batch, and Spark does not give a Python worker the same shard twice.
So each machine runs separate processes that hold the shards (`host`). Spark's workers pass them the events of a
micro-batch, and write to Spark's state store what is needed to restore them anywhere: pages of users' states, and a
journal of the events since each page was written.
"""
