"""Slow, obvious versions of the algorithms, against which the fast ones are tested."""
