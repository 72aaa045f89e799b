"""The compiled loops of the filters. Import a module of this package only when its kernel is about to run.

Each kernel serves one user over one batch of matching events. Every float is computed by the same formula, and in the
same order, as in the corresponding reference filters (`threshold`, `sampling`), so the decisions are the same to the
last bit. An event is given by the number of its *pattern*, the set of the user's subscriptions that it matches; the
subscriptions of pattern p are ``places[starts[p]:starts[p + 1]]``.
"""
