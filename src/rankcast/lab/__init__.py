"""Datasets, the experiments of the papers, and statistics."""
