"""Probability trees."""
