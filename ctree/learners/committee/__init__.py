"""Committees: many trees whose probabilities are averaged."""
