"""The whole of a run of C4.5 release 8, for files without mistakes."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from naive.release8_grow import Grower
from naive.release8_numbers import f
from naive.release8_prune import prune_and_tell
from naive.release8_text import Names, confusion_text, evaluation_text, tree_text, trial_text
from naive.release8_window import TRIALS, Trial, windowed

TITLE = "C4.5 [release 8] decision tree generator"


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """The words of a file, each with the character that ends it ('.' is given as newline)."""
    i = 0
    while True:
        while i < len(text) and text[i] in " \t\n|":
            i = text.index("\n", i) if text[i] == "|" else i + 1
        if i == len(text):
            return
        word = ""
        while i < len(text) and text[i] not in ":,\n|":
            if text[i] == "." and text[i + 1 : i + 2] in ("", " ", "\t", "\n", "|"):
                break
            if text[i] in "\\.":
                word += text[i] if text[i] == "." else ""
                i += 1
            if not (text[i] == " " and word.endswith(" ")):
                word += text[i]
            i += 1
        end = text[i] if i < len(text) and text[i] in ":," else "\n"
        i += text[i : i + 1] != "|"
        yield word.rstrip(" \t\n"), end


def read_names(text: str) -> Names:
    """The classes, attributes and values of a .names file. An attribute `discrete N` has no values yet, but None."""
    words = tokens(text)

    def read_list() -> Iterator[str]:
        for word, end in words:
            yield word
            if end != ",":
                return

    names = Names(list(read_list()))
    for name, _ in words:
        values = list(read_list())
        if values == ["ignore"]:
            names.ignored.add(len(names.attributes))
        names.attributes.append(name)
        if values in (["continuous"], ["ignore"]):
            values = []
        elif len(values) == 1 and values[0].startswith("discrete"):
            values = None
        names.values.append(values)
    return names


def read_cases(text: str, names: Names) -> tuple[list[list], list[int]]:
    """The cases of a .data or .test file, and their classes."""
    words = [word for word, _ in tokens(text)]
    n = len(names.attributes)
    collected = [values is None for values in names.values]
    names.values = [[] if values is None else values for values in names.values]
    cases, classes = [], []
    for start in range(0, len(words), n + 1):
        case = []
        for attribute, word in enumerate(words[start : start + n]):
            values = names.values[attribute]
            if word == "?" or attribute in names.ignored:
                case.append(None)
            elif values or collected[attribute]:
                if word not in values:
                    values.append(word)
                case.append(values.index(word))
            else:
                case.append(None if f(float(word)) == -999 else f(float(word)))
        cases.append(case)
        classes.append(names.classes.index(words[start + n]))
    return cases, classes


def columns_of(cases: Sequence[Sequence], names: Names) -> list[list | None]:
    """The columns of the cases; None for an ignored attribute."""
    n = len(names.attributes)
    return [None if a in names.ignored else [case[a] for case in cases] for a in range(n)]


def main(
    stem: str,
    *,
    unseen: bool = False,
    min_cases: int = 2,
    confidence: float = 25,
    gain_only: bool = False,
    subset: bool = False,
    trials: int | None = None,
    window: int | None = None,
    increment: int | None = None,
) -> str:
    """The output of `c4.5 -f stem` with options -u, -t, -w, -i, -g, -s, -m, -c, in this order."""
    path = Path(stem)
    names = read_names(text_of(path, "names"))
    cases, classes = read_cases(text_of(path, "data"), names)
    data = (columns_of(cases, names), [len(values) for values in names.values], classes, len(names.classes))
    text = f"\n{TITLE}\n{'-' * len(TITLE)}\n\n    Options:\n\tFile stem <{path.name}>\n"
    windowing = not trials is window is increment is None
    if unseen:
        text += "\tTrees evaluated on unseen cases\n"
    if trials is not None:
        text += f"\tWindowing enabled with {trials} trials\n"
    if window is not None:
        text += f"\tInitial window size of {window} items\n"
    if increment is not None:
        text += f"\tMaximum window increment of {increment} items\n"
    if gain_only:
        text += "\tGain criterion used\n"
    if subset:
        text += "\tTests on discrete attribute groups\n"
    if min_cases != 2:
        text += f"\tSensible test requires 2 branches with >={min_cases} cases\n"
    if confidence != 25:
        text += f"\tPruning confidence level {confidence:g}%\n"
    text += f"\nRead {len(cases)} cases ({len(names.attributes)} attributes) from {path.name}.data\n"

    how = {"min_cases": min_cases, "gain_only": gain_only, "subset": subset}
    level = f(confidence / 100)
    if not windowing:
        grower = Grower(*data, **how)
        grown = grower.grow()
        done, best = [Trial(grown, *prune_and_tell(grown, *data, level, grower.cases))], 0
    else:
        done, best = windowed(*data, trials=trials or TRIALS, size=window, increment=increment, confidence=level, **how)
    for number, trial in enumerate(done):
        if windowing:
            text += trial_text(number, trial.cycles)
        text += "\nDecision Tree:\n" + tree_text(trial.grown, names)
        if trial.changed:
            text += "\n\nSimplified Decision Tree:\n" + tree_text(trial.pruned, names)
        text += "\n"
    text += f"\n--------\n\nBest tree from trial {best} saved\n" if windowing else "\nTree saved\n"
    trees = ([trial.grown for trial in done], [trial.pruned for trial in done])
    text += f"\n\nEvaluation on training data ({len(cases)} items):\n"
    text += evaluation_text(*trees, cases, classes, names, best)
    if unseen:
        cases, classes = read_cases(text_of(path, "test"), names)
        text += f"\nEvaluation on test data ({len(cases)} items):\n"
        text += evaluation_text(*trees, cases, classes, names, best)
        text += confusion_text(done[best].pruned, cases, classes, names)
    return text


def text_of(stem: Path, suffix: str) -> str:
    """The text of one of the files of a stem; each byte a character."""
    return stem.with_name(f"{stem.name}.{suffix}").read_text("latin-1")


if __name__ == "__main__":
    print(main(sys.argv[1]), end="")
