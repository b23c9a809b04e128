"""Linked tables: their schema, where they come from, and their coded form with its links."""
