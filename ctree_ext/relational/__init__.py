"""Relational trees: queries about linked rows, their answers, the search for tests, growing and routing."""
