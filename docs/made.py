"""What pages show that is made while they are built: pictures, by the page's own code, and the help of commands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent
WIDTH = "100"


def make_pictures(app: Sphinx, docname: str, source: list[str]) -> None:
    """Run a page that shows pictures, and let it show those that its code made."""
    if "](pictures/" not in source[0]:
        return
    page = Path(app.env.doc2path(docname))
    pictures = Path(app.doctreedir, "pictures", docname)
    kept = os.environ.get("CTREE_PICTURES")
    if kept and Path(kept, docname).is_dir():  # the tests have run the page a moment ago
        shutil.copytree(Path(kept, docname), pictures, dirs_exist_ok=True)
    else:
        command = [sys.executable, str(HERE / "pages.py"), "--quiet", "--pictures", str(pictures), str(page)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ExtensionError(f"{docname}: its code does not do what the page says\n{done.stdout}{done.stderr}")
    source[0] = source[0].replace("](pictures/", f"]({os.path.relpath(pictures, page.parent)}/")


class CommandHelp(SphinxDirective):
    """`{command-help} learn` is what `ctree learn --help` prints."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        command = [sys.executable, "-m", "ctree.cli.main", *self.arguments, "--help"]
        environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise self.error(f"'{' '.join(command)}' fails: {done.stderr}")
        block = nodes.literal_block(done.stdout, done.stdout, language="none")
        return [block]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", make_pictures)
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
