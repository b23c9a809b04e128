"""The command as a process of its own."""

from __future__ import annotations

import os
import pathlib

import ctree

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(pathlib.Path(ctree.__file__).parents[1])}
"""In which it finds this ctree from any directory."""
