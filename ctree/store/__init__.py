"""Models in files: versioned JSON."""

from ctree.store.json_model import load, save

__all__ = ["load", "save"]
