"""The example script runs and says what it should."""

from __future__ import annotations

import pathlib
import runpy

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def test_the_golf_script(capsys):
    runpy.run_path(str(EXAMPLES / "golf.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "outlook = overcast: Play (4.0/1.2)"
    assert lines[-4:] == [
        "A sunny day of unknown humidity: Don't Play",
        "  Play        0.420",
        "  Don't Play  0.580",
        "Loaded again, it is the same tree: True",
    ]
