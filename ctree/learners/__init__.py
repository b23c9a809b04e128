"""Learners: one module a family."""
