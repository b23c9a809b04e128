"""What pages show that is made while they are built: pictures, by the page's own code, the help of commands, and
what the learners declare."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

import ctree
from ctree.learners.base.parameters import Parameter
from ctree.learners.registry import LEARNERS, RELATIONAL_LEARNERS, committees_for, learner_class, methods_for

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
    """`{command-help} learn` is what `ctree learn --help` prints; further words go before `--help`."""

    optional_arguments = 9

    def run(self) -> list[nodes.Node]:
        command = [sys.executable, "-m", "ctree.cli.main", *self.arguments, "--help"]
        environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise self.error(f"'{' '.join(command)}' fails: {done.stderr}")
        block = nodes.literal_block(done.stdout, done.stdout, language="none")
        return [block]


class ParameterTable(SphinxDirective):
    """`{parameters} C45Classifier` is a table of the parameters that the learner declares, shared ones last."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        declared = getattr(ctree, self.arguments[0])._parameters.values()
        rows = [
            f"| `{p.name}={_literal(p.default)}` | {_cell(p.domain.describe())} | {_description(p)} |" for p in declared
        ]
        return self.parse_text_to_nodes("\n".join(["| parameter | values | meaning |", "|---|---|---|", *rows]))


def learner_pages() -> dict[str, str]:
    """The page of each learner: the one that mentions its class first."""
    first = {}
    for page in sorted((HERE / "learners").glob("*.md")):
        if found := re.search(r"\{class\}`ctree\.(\w+)`", page.read_text(encoding="utf-8")):
            first[found[1]] = page.stem
    return {name: first[name] for name in (*LEARNERS, *RELATIONAL_LEARNERS)}


def learner_table() -> str:
    """Every learner with its page, its methods on the command line and what it is."""
    rows = []
    for name, page in learner_pages().items():
        linked = name in RELATIONAL_LEARNERS
        found = [f"`{method}`" for method, made in methods_for(linked).items() if made.learner == name]
        known = committees_for(linked).items()
        found += [f"`--committee {committee}`" for committee, made in known if made.learner == name]
        methods = ("with `--relational`: " if linked else "") + ", ".join(found)
        rows.append(f"| [`{name}`]({page}.md) | {methods} | {_cell(learner_class(name).__doc__.splitlines()[0])} |")
    return "\n".join(["| class | `ctree learn --method` | what it is |", "|---|---|---|", *rows])


def learner_toctree() -> str:
    """The pages of `learners/` in the order of the registry."""
    pages = dict.fromkeys([*learner_pages().values(), "itemsets"])
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])


def learner_reference() -> str:
    """The reference of every learner."""
    return _reference(LEARNERS)


def relational_reference() -> str:
    """The reference of every learner from linked tables."""
    return _reference(RELATIONAL_LEARNERS)


def _reference(names: Iterable[str]) -> str:
    entries = [f".. autoclass:: ctree.{name}\n   :members:\n   :inherited-members:\n" for name in names]
    return "\n".join(["```{eval-rst}", *entries, "```"])


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _description(parameter: Parameter) -> str:
    condition = f" Only with `{parameter.condition}`." if parameter.condition else ""
    return _cell(parameter.help + condition)


def _cell(text: str) -> str:
    """A text of a docstring as a cell of a Markdown table."""
    return re.sub(r"``(.+?)``", r"`\1`", text).replace("|", "\\|").replace("\n", " ")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", make_pictures)
    app.add_directive("command-help", CommandHelp)
    app.add_directive("parameters", ParameterTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
