"""Sampled trees."""
