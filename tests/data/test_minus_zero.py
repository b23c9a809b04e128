"""The number -0.0 is 0.0 wherever data come in, so that no threshold shows which of them came first."""

import numpy as np
import pytest

import ctree

NUMBERS = np.array([-0.0, 0.0, -0.0, -1.5, 2.0, -0.0, 3.0, 0.0] * 4)
LABELS = ["a" if number <= 0 else "b" for number in NUMBERS]
LINES = [f"{number!r},{label}" for number, label in zip(NUMBERS.tolist(), LABELS, strict=True)]


def from_array(folder):
    del folder
    return ctree.Dataset(ctree.Schema((ctree.Attribute("x", ctree.Kind.CONTINUOUS),), ("a", "b")), [NUMBERS])


def from_table(folder):
    del folder
    return ctree.C45Classifier().fit(NUMBERS[:, None], LABELS)._cases(NUMBERS[:, None])


def from_c45(folder):
    (folder / "zeros.names").write_text("a, b.\nx: continuous.\n")
    (folder / "zeros.data").write_text("\n".join(LINES) + "\n")
    return ctree.read_c45(folder / "zeros")


def from_csv(folder):
    (folder / "zeros.csv").write_text("x,label\n" + "\n".join(LINES) + "\n")
    return ctree.read_csv(folder / "zeros.csv", "label")


def from_arff(folder):
    head = "@relation zeros\n@attribute x numeric\n@attribute label {a,b}\n@data\n"
    (folder / "zeros.arff").write_text(head + "\n".join(LINES) + "\n")
    return ctree.read_arff(folder / "zeros.arff")


@pytest.mark.parametrize("read", [from_array, from_table, from_c45, from_csv, from_arff])
def test_minus_zero_is_zero(read, tmp_path):
    data = read(tmp_path)
    assert data.columns[0].tolist() == NUMBERS.tolist()
    assert not np.signbit(data.columns[0][data.columns[0] == 0]).any()


def test_the_array_that_was_given_stays_as_it_is():
    numbers = NUMBERS.copy()
    ctree.Dataset(ctree.Schema((ctree.Attribute("x", ctree.Kind.CONTINUOUS),), ("a", "b")), [numbers])
    assert np.array_equal(np.signbit(numbers), np.signbit(NUMBERS))


@pytest.mark.parametrize("variant", ["release8", "j48"])
def test_sources_and_memory_show_the_same_threshold(tmp_path, variant):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("narwhals")
    table = pa.table({"x": NUMBERS, "label": LABELS})
    pq.write_table(table, tmp_path / "zeros.parquet")
    from_csv(tmp_path)
    learner = ctree.C45Classifier(variant=variant, arithmetic="double")
    scanned = [
        ctree.scan_parquet(tmp_path / "zeros.parquet", "label"),
        ctree.scan_csv(tmp_path / "zeros.csv", "label"),
        ctree.scan_arrow(table, "label"),
    ]
    for cases in [*scanned, from_csv(tmp_path)]:
        threshold = learner.fit(cases).tree_.threshold[0]
        assert threshold == 0
        assert not np.signbit(threshold)
