"""Eight threads that share data sets, models and trees get what one thread gets.

The same tests run with and without a GIL. With one, threads change as often as the interpreter can, so that a step that
only looks like one is found out.
"""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.problems import random_problem
from support.sklearn_learners import LEARNERS

import ctree
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.learners.mcmc.sampled_trees import SampledTrees

N_THREADS = 8

WITHOUT_GIL = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

IMPORT_ALL = """
import sys, warnings
warnings.simplefilter("error")
import numpy, scipy.special
assert not sys._is_gil_enabled(), "numpy or scipy has switched the GIL on"
import importlib, pkgutil, ctree_ext
for module in pkgutil.walk_packages(ctree_ext.__path__, "ctree_ext."):
    importlib.import_module(module.name)
    assert not sys._is_gil_enabled(), module.name
"""

FIRST_USE = """
import _frozen_importlib, random, sys, threading, time
sys.setswitchinterval(1e-5)
import ctree

load = _frozen_importlib._load_unlocked
def load_slowly(spec):
    # Python does this too, but so fast that it hardly ever matters: see _PACKAGES
    module = load(spec)
    if spec.name.startswith("ctree") and spec.name in sys.modules:
        time.sleep(0.01 * random.random())
        there = sys.modules.pop(spec.name)
        time.sleep(0.01)
        sys.modules[spec.name] = there
    return module

def exports(tree):
    return [tree.to_sql, tree.to_pmml, tree.to_c, tree.to_python, tree.to_html, tree.to_text, tree.to_dot]

def use(seed):
    names = list(ctree.__all__)
    random.Random(seed).shuffle(names)
    start.wait()
    try:
        if MODEL and seed % 2:
            todo = exports(tree)
            random.Random(seed).shuffle(todo)
            for export in todo:
                export()
        for name in names:
            getattr(ctree, name)
        ctree.C45Classifier().fit(ctree.load_golf()).predict(ctree.load_golf())
    except BaseException as error:
        wrong.append(error)

start, wrong = threading.Barrier(8), []
tree = ctree.C45Classifier().fit(ctree.load_golf()).tree_ if MODEL else None
_frozen_importlib._load_unlocked = load_slowly
threads = [threading.Thread(target=use, args=(seed,)) for seed in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not wrong, wrong
"""


@pytest.fixture(autouse=True)
def _eager_threads():
    """Threads change every few steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """What `work` gives for 0, 1, ..., each in a thread of its own, all begun at the same moment."""
    start = threading.Barrier(N_THREADS)

    def begin(i: int) -> Any:
        start.wait()
        return work(i)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(begin, range(N_THREADS)))


def run(script: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def answers(model: Any, data: ctree.Dataset) -> tuple[Any, ...]:
    """What can be asked of any model, to the last bit."""
    explained = [str(one) for one in model.explain(data.take(np.arange(5)))]
    return model.predict_proba(data).tobytes(), model.predict(data).tolist(), model.to_text(), explained


@pytest.fixture(scope="module")
def data() -> ctree.Dataset:
    return random_problem(5, 120, 3, [0, 3, 2, 0], 0.05).dataset()


@pytest.fixture(scope="module", params=LEARNERS)
def learner(request):
    """A learner that is not fitted yet."""
    return LEARNERS[request.param]


def fresh(learner: Any) -> Any:
    return type(learner)(**learner.get_params())


@pytest.mark.skipif(not WITHOUT_GIL, reason="this Python has a GIL at all times")
def test_no_kernel_switches_the_gil_on():
    run(IMPORT_ALL)


@pytest.mark.parametrize("with_model", [False, True])
def test_threads_may_be_the_first_to_use_the_package(with_model):
    """Names are imported when they are first used, and what methods delegate to when these are first called."""
    run(FIRST_USE.replace("MODEL", str(with_model)))


def test_all_packages_that_have_modules_are_imported_first():
    root = Path(__file__).parents[1]
    files = [path for package in ("ctree", "ctree_ext") for path in (root / package).glob("*/**/__init__.py")]
    with_modules = [path.parent for path in files if any(path.parent.glob("[!_]*.py*"))]
    names = {".".join(folder.relative_to(root).parts) for folder in with_modules}
    assert names - {"ctree.cli"} == set(ctree._PACKAGES)


@pytest.mark.parametrize("package", ["ctree", "ctree_ext"])
def test_no_package_imports_its_own_modules(package):
    """One thread would have the lock of the package and wait for the module, another the other way round."""
    root = Path(__file__).parents[1]
    for path in (root / package).rglob("__init__.py"):
        own = ".".join(path.parent.relative_to(root).parts) + "."
        for line in ast.parse(path.read_text("utf-8")).body:
            named = [line.module or ""] if isinstance(line, ast.ImportFrom) else []
            named += [alias.name for alias in line.names] if isinstance(line, ast.Import) else []
            assert not any(name.startswith(own) for name in named), path


@pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")
def test_threads_fit_learners_of_their_own_to_one_dataset(learner, data):
    alone = answers(fresh(learner).fit(data), data)
    assert all(one == alone for one in at_once(lambda _: answers(fresh(learner).fit(data), data)))


@pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")
def test_threads_ask_one_model_that_has_answered_nothing_yet(learner, data, tmp_path):
    """What it makes when it is first asked, they ask for at the same moment."""
    model = fresh(learner).fit(data)
    alone = answers(model, data)
    ctree.save(model, tmp_path / "model.json")
    for again in (pickle.loads(pickle.dumps(model)), ctree.load(tmp_path / "model.json")):
        assert all(one == alone for one in at_once(lambda _, asked=again: answers(asked, data)))


def test_threads_that_grow_with_threads():
    data = random_problem(11, 10_000, 3, [0, 0, 5], 0.02).dataset()
    alone = ctree.C45Classifier().fit(data).tree_
    trees = at_once(lambda i: ctree.C45Classifier(n_jobs=1 + i % 3).fit(data).tree_)
    assert all(tree == alone for tree in trees)


def test_threads_ask_one_tree_for_everything(data):
    tree = ctree.C45Classifier().fit(data).tree_
    cases = data.take(np.arange(20))

    def asked(tree: ctree.Tree) -> tuple[Any, ...]:
        return (
            tree.depth,
            tree.parent.tolist(),
            tree.apply(cases).tolist(),
            tree.predict_proba(cases).tobytes(),
            tree.to_sql(),
            tree.to_python(),
            tree.to_html(),
        )

    alone = asked(tree)
    for _ in range(5):
        again = pickle.loads(pickle.dumps(tree))
        assert all(one == alone for one in at_once(lambda _, again=again: asked(again)))


def test_threads_prune_one_model_in_different_ways(data):
    model = ctree.C45Classifier().fit(data)
    ways = [("error-based", data), ("mdl", data), ("bic",), ("reduced-error", data)]
    alone = [model.pruned(*way).tree_ for way in ways]
    pruned = at_once(lambda i: [model.pruned(*ways[(i + k) % len(ways)]).tree_ for k in range(len(ways))])
    for i, trees in enumerate(pruned):
        assert all(tree == alone[(i + k) % len(ways)] for k, tree in enumerate(trees))


def test_threads_ask_one_lattice_for_different_things(data):
    model = ctree.BayesOptimalClassifier(max_depth=3, bins=3).fit(data)
    questions: list[Callable[[Any], Any]] = [
        lambda model: model.predict_proba(data).tobytes(),
        lambda model: model.feature_inclusion_.tobytes(),
        lambda model: model.most_probable_tree().to_text(),
        lambda model: [tree.to_text() for tree in model.sample_trees(5, 1)],
        lambda model: [str(leaf) for leaf in model.leaf_marginals(0.05)],
    ]
    alone = [question(model) for question in questions]
    n = len(questions)
    again = pickle.loads(pickle.dumps(model))
    for i, given in enumerate(at_once(lambda i: [questions[(i + k) % n](again) for k in range(n)])):
        assert given == [alone[(i + k) % n] for k in range(n)]


def test_a_loaded_lattice_is_searched_once_however_many_threads_ask(data, monkeypatch):
    model = ctree.BayesOptimalClassifier(max_depth=3, bins=3).fit(data)
    made, new_lattice = [], LatticeClassifier._new_lattice

    def counted(self: Any, **limits: Any) -> Any:
        made.append(self)
        time.sleep(0.2)  # the others have time to come here too
        return new_lattice(self, **limits)

    again = pickle.loads(pickle.dumps(model))
    monkeypatch.setattr(LatticeClassifier, "_new_lattice", counted)
    at_once(lambda _: again.predict_proba(data))
    assert len(made) == 1
    assert pickle.loads(pickle.dumps(again)).log_evidence_ == model.log_evidence_


@pytest.fixture(scope="module")
def sampler(data) -> ctree.MCMCTreeClassifier:
    learner = ctree.MCMCTreeClassifier(burn_in=200, samples=60, thin=40, chains=1, random_state=0)
    return learner.fit(data)


def test_threads_go_through_the_trees_that_were_drawn(sampler):
    trees, alone = sampler.trees_, list(sampler.trees_)
    n = len(alone)
    assert len({tree.to_text() for tree in alone}) > 10
    for i, given in enumerate(at_once(lambda i: [trees[(i * 7 + k) % n] for k in range(n)])):
        assert given == [alone[(i * 7 + k) % n] for k in range(n)]


def test_a_drawn_tree_is_the_one_asked_for_when_another_thread_asks_for_another(sampler):
    last = len(sampler.trees_) - 1

    class Disturbed(SampledTrees):
        """At the worst moment, just after a tree was kept, another thread has its turn."""

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == "_made" and value is not None and threading.current_thread() is threading.main_thread():
                other = threading.Thread(target=lambda: self[last])
                other.start()
                other.join()

    trees = Disturbed(sampler.schema_, sampler._levels, 1.0, sampler._records)
    assert trees[0] == sampler.trees_[0] != sampler.trees_[last]


def test_threads_fetch_what_a_chain_has_recorded(data):
    """It is fetched when it is first asked for; a chain whose trees are not kept has not been asked by `fit`."""
    settings = {"burn_in": 200, "samples": 50, "thin": 40, "chains": 1, "keep_trees": False, "random_state": 0}
    fitted = [ctree.MCMCTreeClassifier(**settings).fit(data) for _ in range(5)]

    def fetched(model: ctree.MCMCTreeClassifier) -> list[Any]:
        return [record.state for record in model._records]

    alone = fetched(fitted.pop())
    for model in fitted:
        assert model._fetched is None
        assert all(one == alone for one in at_once(lambda _, model=model: fetched(model)))


def test_threads_read_and_save_the_same_files(data, tmp_path):
    ctree.write_csv(data, tmp_path / "cases.csv")
    model = ctree.C45Classifier().fit(data)

    def work(i: int) -> tuple[Any, ...]:
        ctree.save(model, tmp_path / f"model{i}.json")
        read = ctree.read_csv(tmp_path / "cases.csv")
        return read.n_cases, ctree.load(tmp_path / f"model{i}.json").tree_ == model.tree_

    assert at_once(work) == [(data.n_cases, True)] * N_THREADS
