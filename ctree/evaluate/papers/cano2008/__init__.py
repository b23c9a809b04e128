"""Cano, Masegosa and Moral 2008: Bayesian trees."""
