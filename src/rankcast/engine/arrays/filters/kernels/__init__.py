"""The loops of the filters, compiled; import a module of this where its kernel is about to run.

Each kernel serves one user over one batch of matching events. Every float is computed by the formula, and in the order, of the
filters that these stand for (`threshold`, `sampling`), so the decisions are the same to the last bit. An event is given by
the number of its *pattern*, the set of the user's subscriptions that it matches; the places of pattern p are
``places[starts[p]:starts[p + 1]]``.
"""
