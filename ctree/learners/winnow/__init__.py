"""Winnowing: which attributes can be left out, by a model of one half of the cases and its loss on the other."""
