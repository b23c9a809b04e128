"""Passes over coded cases: where they go in the top of a tree, and what is counted there."""
