"""The reference engine: plain Python, one event and one user at a time.

It defines the results of every other engine.
"""
