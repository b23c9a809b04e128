"""Calls of the C library that fail on purpose, and memory that is not given back.

`python -m tests.faults` is the long run; the test modules here are a short one.
"""
