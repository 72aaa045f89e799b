"""The compiled loops of ranking and choosing. Import a module of this package only when its kernel is about to run.

Each kernel serves one user over one batch. Entries are the contents of the user's window or period, followed by those
that the batch adds, in order of `seq`. All comparisons are made on a grid of 1e-12, as integers, and every float is
computed as in the reference engine, to the last bit, so the choices are the same.
"""
