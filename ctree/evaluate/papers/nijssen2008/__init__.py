"""Nijssen 2008: Bayes-optimal trees."""
