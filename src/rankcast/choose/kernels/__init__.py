"""Compiled loops for selecting k of n. They import numba, so import a module only where its kernel is about to run.

Entries are candidates in order of `seq`. Their distances come from a table (`slots` gives the place of each entry in
it); without a table they are computed (`order` gives the event of each entry in the space). Values are compared as
integers on the grid of 1e-12. Every float is computed exactly as in the plain definition, to the last bit, so the
choices are the same.
"""
