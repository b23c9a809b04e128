"""Pictures of chains and envelopes: what is drawn is what there is."""

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, DataError, MissingExtraError

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")


@pytest.fixture(scope="module")
def model():
    golf = ctree.read_c45("examples/golf")
    return ctree.MCMCTreeClassifier(min_cases=1, burn_in=700, samples=50, chains=3, random_state=0).fit(golf)


def test_plots_without_matplotlib_say_what_is_missing(model, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"to install it: pip install matplotlib$"):
        ctree.plot_chains(model)


def test_traces_of_every_chain_are_drawn(model, tmp_path):
    pytest.importorskip("matplotlib")
    figure = ctree.plot_chains(model, tmp_path / "chains.png")
    assert (tmp_path / "chains.png").stat().st_size > 1000
    likelihood, leaves = figure.axes[1], figure.axes[3]
    assert len(likelihood.lines) == 3
    for c in range(3):
        assert np.array_equal(likelihood.lines[c].get_ydata(), model.traces_["log_likelihood"][c])
        assert np.array_equal(leaves.lines[c].get_ydata(), model.traces_["leaves"][c])
    assert figure.axes[0].lines[0].get_xdata()[-1] == 700
    shares = figure.axes[5].lines[0].get_ydata()
    assert sum(shares) == pytest.approx(1)


def test_the_three_shares_fill_the_picture(model, tmp_path):
    pytest.importorskip("matplotlib")
    envelope = ctree.uncertainty_envelope(model, ctree.read_c45("examples/golf"))
    axes = ctree.plot_envelope(envelope, tmp_path / "envelope.svg").axes[0]
    assert len(axes.collections) == 3
    assert (tmp_path / "envelope.svg").read_text("utf-8").startswith("<?xml")
    with pytest.raises(CtreeError, match="the picture cannot be written"):
        ctree.plot_envelope(envelope, tmp_path / "no" / "envelope.png")
    with pytest.raises(CtreeError, match="the picture cannot be written"):
        ctree.plot_envelope(envelope, tmp_path / "envelope.xyz")


def test_an_envelope_without_classes_has_no_picture(model):
    pytest.importorskip("matplotlib")
    rows = {"outlook": ["rain"], "temperature": [70], "humidity": [70], "windy": ["true"]}
    with pytest.raises(DataError):
        ctree.plot_envelope(ctree.uncertainty_envelope(model, rows))
