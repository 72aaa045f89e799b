"""The loops of ranking and choosing, compiled; import a module of this where its kernel is about to run.

Each kernel serves one user over one batch. Entries are what the user's window or period holds, then what the batch
adds, in order of `seq`. All comparisons are made on the grid of 1e-12, as integers, and every float is computed as the
oracle computes it, to the last bit; so the choices are the oracle's.
"""
