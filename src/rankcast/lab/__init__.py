"""Trying things out: datasets, the experiments of the papers, statistics."""
