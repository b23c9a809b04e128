"""`ctree consult`: a case asked for at the terminal, and its class with the certainty and range of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ctree.cli.options import Subparsers, add_command
from ctree.errors import CtreeError, DataError
from ctree.wording import abbreviated, abbreviated_path

if TYPE_CHECKING:
    from ctree.data.schema import Attribute
    from ctree.learners.base.case_consultation import CaseConsultation
    from ctree.tree.consultation import Consultation

    AskedCase = Consultation | CaseConsultation

DESCRIPTION = """\
Classify a case by question and answer. Only what the model needs to know is asked: by a tree and by rules what decides
where the case goes next, by other models all attributes that say something. An answer is a value; values with their
probabilities, as in "sunny: 0.7, rain: 0.2" (the rest up to 1 is shared by the other values); a number; a range, as in
"70 - 80"; or ? if it is unknown. The result is the most probable class with its certainty factor (CF) and, of a tree,
the range in which it may lie, since leaves may be mistaken; with more than two classes also the others above 0.01.
MODEL was saved by `ctree learn -o` or ctree.save. At a terminal, questions go to standard error;
answers may also come from a file or a pipe, one per line. Results go to standard output."""

EXAMPLES = """\
examples:
  ctree learn examples/golf -o golf.json
  ctree consult golf.json
  printf 'sunny\\n?\\n' | ctree consult golf.json"""

WIDEST = 60
"""A list of values in a question is cut off here; all are listed on demand."""

LEAST = 0.01
"""A class beside the first must be more certain than this to be shown."""

INTRODUCTION = "Answer each question, or give ? if you do not know; `help` says what may be given, Ctrl-D ends."
AGAIN = "\nRetry, new case or quit [r, n, q]: "


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "consult", "MODEL", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model, saved as JSON")
    parser.add_argument("-t", "--tree", action="store_true", help="show the tree, or what else the model is, first")


def run(args: argparse.Namespace) -> int:
    """Consult as the options say."""
    from ctree.cli.models import load_plain  # numpy and the kernels wait until the options are right

    model = load_plain(args.model, "an example with linked rows cannot be asked for, only predicted (ctree predict)")
    start = consultations(model, args.model)
    if args.tree:
        start()
        print(model.to_text(), end="\n\n", flush=True)
    terminal = Terminal()
    try:
        consult(start, terminal)
    except EOFError:
        terminal.say("\n")
    except KeyboardInterrupt:
        terminal.say("\n")
        raise
    return 0


def consultations(model: Any, file: str) -> Callable[[], AskedCase]:
    """How to begin with a new case, by this model."""

    def start() -> AskedCase:
        try:
            consultation: AskedCase = model.consultation()
        except CtreeError as error:
            raise CtreeError(f"{abbreviated_path(file)}: {error}") from None
        return consultation

    return start


class Terminal:
    """Where questions go and answers come from: a person at a terminal, or a file, which is asked nothing."""

    def __init__(self) -> None:
        self.stdin = sys.stdin
        self.is_person = self.stdin is not None and self.stdin.isatty()
        if hasattr(self.stdin, "reconfigure"):  # bytes that are no text are a wrong answer, not the end
            self.stdin.reconfigure(errors="replace")

    def say(self, text: str) -> None:
        """Show a text to a person; not part of the result."""
        if self.is_person:
            print(text, end="", file=sys.stderr, flush=True)

    def ask(self, prompt: str) -> str:
        """The next line; an EOFError if there is none."""
        self.say(prompt)
        line = "" if self.stdin is None else self.stdin.readline()
        if not line:
            raise EOFError
        return line.strip()


def consult(start: Callable[[], AskedCase], terminal: Terminal) -> None:
    """One case after the other, until the person has had enough; at the end of the input an EOFError."""
    if start().question is not None:
        terminal.say(INTRODUCTION + "\n\n")
    before: dict[str, str] = {}
    while True:
        case = start()
        before = describe(case, before, terminal)
        terminal.say("\n")
        print(result_text(case), flush=True)
        if start().question is None:
            return
        choice = next_step(terminal)
        if choice == "quit":
            return
        if choice == "new":
            before = {}
        terminal.say("\n")


def describe(case: AskedCase, before: dict[str, str], terminal: Terminal) -> dict[str, str]:
    """Ask until nothing more is needed; the answers by attribute. Those from before are offered again."""
    given = dict(before)
    while (attribute := case.question) is not None:
        name = attribute.name
        offered = before.get(name)
        try:
            text = terminal.ask(prompt_for(attribute, offered)) or (offered or "")
        except EOFError:
            if terminal.is_person:
                raise
            raise CtreeError(f"the input ends before there is an answer for '{abbreviated(name)}'") from None
        if text == "help" and "help" not in attribute.values:
            terminal.say(help_text(attribute))
            continue
        try:
            case.answer(text)
        except DataError as error:
            if not terminal.is_person:  # what follows would be taken for answers to other questions
                raise
            terminal.say(f"  {error}.\n")
            continue
        given[name] = text
    return given


def prompt_for(attribute: Attribute, offered: str | None) -> str:
    from ctree.tree.answers import answer_texts

    values = ", ".join(answer_texts(attribute))
    if len(values) > WIDEST:
        values = values[:WIDEST].rsplit(", ", 1)[0] + ", …"
    return attribute.name + (f" ({values})" if values else "") + (f" [{offered}]" if offered else "") + ": "


def help_text(attribute: Attribute) -> str:
    from ctree.tree.answers import expected

    return f"  {expected(attribute)}\n"


def next_step(terminal: Terminal) -> str:
    """What the person wants next: ``"retry"``, ``"new"`` or ``"quit"``."""
    while True:
        text = terminal.ask(AGAIN).lower()
        for choice in ("retry", "new", "quit"):
            if text and choice.startswith(text.removesuffix(" case")):
                return choice
        if not terminal.is_person:
            raise CtreeError(f"after a result the input should have r, n or q, not '{abbreviated(text)}'")
        terminal.say("  Give r to change answers of this case, n for a new one, q to end.\n")


def result_text(case: AskedCase) -> str:
    """The classes with their certainty, a line each, and what led there if it was one way."""
    certainties = case.certainties()
    others = certainties[1:] if len(certainties) > 2 else []
    shown = [certainties[0], *(c for c in others if c.cf > LEAST)]
    width = max(len(str(c.label)) for c in shown)
    lines = []
    for c in shown:
        low, high = f"{c.low:.2f}", f"{c.high:.2f}"
        lines.append(f"{c.label!s:<{width}}  CF = {c.cf:.2f}" + (f"  [ {low} - {high} ]" if low != high else ""))
    return "\n".join([*lines, *([case.reason] if case.reason else [])])
