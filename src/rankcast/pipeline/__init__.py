"""Pipelines move events through the engine: in this process, or on Spark."""
