"""Bayesian trees."""
