"""The pages of the documentation: all their code runs and prints what they say, and nothing public is left out."""

import multiprocessing
import os
import re
from pathlib import Path

import pytest
from support.page_check import check_page

import ctree
from ctree.cli.main import SUMMARIES
from ctree.learners.registry import LEARNERS, RELATIONAL_LEARNERS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]


@pytest.fixture(scope="module")
def run():
    """The check of a page in a process of its own, which is forked from one that has imported what many pages use."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pages", "ctree.cli.main", "ctree.evaluate", "sklearn.tree", "matplotlib.pyplot"])

    def run(page: Path, *options: str) -> tuple[int, str]:
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=check_page, args=(page, options, sending))
        process.start()
        sending.close()
        try:
            assert receiving.poll(600), "it takes too long"
            return receiving.recv()
        finally:
            process.kill()
            process.join()

    return run


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_code_prints_what_the_page_says(page, run):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    pictures = os.environ.get("CTREE_PICTURES")  # where `docs/made.py` looks for them
    options = []
    if pictures and page.is_relative_to(ROOT / "docs"):
        options = ["--pictures", str(Path(pictures, page.relative_to(ROOT / "docs").with_suffix("")))]
    status, printed = run(page, *options)
    assert status == 0, printed


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "it is\n1"),
        ("```python\nprint(1)\n```\n", "it is\n1"),
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Got:\n    2"),
        ("```console\n$ echo yes\nno\n```\n", "it is\nyes"),
        ("```console\n$ false\n```\n", "it is\n[exit status 1]"),
        ("```console\n$ echo yes && false\nyes\n```\n", "it is\nyes\n[exit status 1]"),
        ("```console\n$ ctree learn nothing-here\n...\n```\n", "[exit status 1]"),
        ("```console\n$ ctree learn --no-such-option golf\n...\n```\n", "[exit status 2]"),
        ("```console\n$ true\n[exit status 1]\n```\n", "it is\n"),
        ("```console\necho yes\n```\n", "begins with '$ '"),
        ("```text\n2\n```\n", "output without the code"),
        ("```sh\nrm -r examples\n```\n", "installs nothing"),
        ("```ruby\nputs 1\n```\n", "neither run nor checked"),
        ("```\nwhat is this\n```\n", "neither run nor checked"),
        ("Look:\n\n    import ctree\n", "indented code"),
        ("![a tree](pictures/tree.svg)\n", "does not make the picture"),
    ],
)
def test_wrong_pages_are_found(tmp_path, run, text, complaint):
    page = tmp_path / "page.md"
    page.write_text(text)
    status, printed = run(page)
    assert status == 1
    assert complaint in printed


def test_blocks_are_run_where_what_they_need_is_there(tmp_path, run):
    page = tmp_path / "page.md"
    code = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
    for needs, status in (("numpy sh", 1), ("numpy no_such_thing", 0)):
        page.write_text(f"Here:\n\n<!-- needs {needs} -->\n{code}")
        assert run(page)[0] == status
    page.write_text(f"<!-- needs no_such_thing -->\n{code}\nAnd:\n\n{code}")
    assert run(page)[0] == 1, "only the block that follows has the need"


def test_right_pages_pass_and_leave_their_pictures(tmp_path, run):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 1\nprint('a')\nprint('b')\nprint('c')\n```\n\n```text\na\n...\nc\n```\n\n"
        "```python\nopen('x.svg', 'w').write(f'{x}') and None\n```\n\n![x](pictures/x.svg)\n\n"
        "```python\n>>> x += 1\n>>> x\n2\n```\n\n"
        "```console\n$ cat x.svg\n1\n$ ls examples/golf.data\nexamples/golf.data\n"
        "$ echo no; exit 3\nno\n[exit status 3]\n```\n"
    )
    status, printed = run(page, "--pictures", str(tmp_path / "kept"))
    assert status == 0, printed
    assert (tmp_path / "kept" / "x.svg").read_text() == "1"


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_say_where_they_lead(page):
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", prose)
    assert [
        target for text, target in links if text.strip().lower() in ("", "here", "this", "page", "a page", "link")
    ] == []


def test_every_public_name_is_in_the_reference():
    reference = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    documented = set(re.findall(r"auto(?:class|function|data):: ctree\.(\w+)$", reference, flags=re.MULTILINE))
    modules = set(re.findall(r"automodule:: ctree\.(\w+)$", reference, flags=re.MULTILINE))
    assert "{{ learner_reference }}" in reference  # which lists all learners
    assert "{{ relational_reference }}" in reference
    learners = set(LEARNERS) | set(RELATIONAL_LEARNERS)
    assert set(ctree.__all__) - {"__version__"} == documented | learners | (modules & set(ctree._OWN_MODULES))


def test_every_command_has_its_help():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^```\{command-help\} (\S+)$", page, flags=re.MULTILINE) == re.findall(
        r"^## (\S+)$", page, flags=re.MULTILINE
    )
    assert set(re.findall(r"^## (\S+)$", page, flags=re.MULTILINE)) == set(SUMMARIES)


@pytest.mark.parametrize("name", [*LEARNERS, *RELATIONAL_LEARNERS])
def test_every_learner_has_its_page(name):
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "learners").glob("*.md")]
    text = next(text for text in pages if (about := re.search(r"\{class\}`ctree\.(\w+)`", text)) and about[1] == name)
    assert f"```{{parameters}} {name}\n```" in text
    assert re.search(r"^## Papers?$", text, flags=re.MULTILINE)
