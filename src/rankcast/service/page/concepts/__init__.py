"""Concepts: an editor for the meaning of vague words."""
