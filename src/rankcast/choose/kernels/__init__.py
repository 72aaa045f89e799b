"""The loops of selecting k of n, compiled; import a module of this where its kernel is about to run.

Entries are candidates in order of `seq`. Their distances come out of a table that is kept (`slots` says where each entry
stands in it), or are measured where there is none (`order` says which event of the space each entry is). All comparisons
are made on the grid of 1e-12, as integers, and every float is computed as the plain definition computes it, to the last
bit; so the choices are the same.
"""
