"""What `describe` counts, against counts by hand and row by row."""

from hypothesis import given
from hypothesis import strategies as st
from support.linked_tables import molecules, problems


def test_a_page_to_read():
    assert str(molecules().data().describe()) == (
        "3 examples in table 'molecule': neg 2, pos 1\n"
        "1 example without linked rows\n"
        "\n"
        "table     rows  key  columns       unknown values\n"
        "molecule     3  id         2               lumo 1\n"
        "atom         4  id         3  element 1, charge 1\n"
        "bond         2  -          3                    -\n"
        "\n"
        "link           refers to  rows per row: mean  max  none  unknown\n"
        "atom.molecule  molecule                 1.00    2     1        1\n"
        "bond.atom1     atom                     0.50    1     2        0\n"
        "bond.atom2     atom                     0.50    1     2        0"
    )


def test_only_examples_count():
    found = molecules().data().take([2]).describe()
    assert found.examples == 1
    assert found.classes == {"neg": 1, "pos": 0}
    assert (found.links[0].mean, found.links[0].most, found.links[0].none) == (0, 0, 1)
    assert found.to_dict()["links"][0]["name"] == "atom.molecule"
    assert str(molecules().data().take([]).describe()).startswith("no examples in table 'molecule': neg 0, pos 0\n")


def test_unknown_classes():
    problem = molecules()
    problem.tables["molecule"]["class"][0] = None
    found = problem.data(unknown_class="keep").describe()
    assert found.unknown_classes == 1
    assert str(found).startswith("3 examples in table 'molecule': neg 2, unknown 1\n")


@given(problems(), st.data())
def test_counts_row_by_row(problem, draw):
    data = problem.data()
    places = draw.draw(st.lists(st.integers(0, len(data) - 1), unique=True, min_size=1))
    found = data.take(places).describe()
    target = problem.target[0]
    linked = set()
    for link in found.links:
        key = next(key for key in data.schema.foreign_keys if key.name == link.name)
        cells = problem.tables[key.table][key.column]
        keys = problem.tables[key.references][problem.keys[key.references]]
        numbers = [sum(cell == value for cell in cells) for value in keys]
        if (key.table == target) != (key.references == target):
            linked |= {row for row in range(len(data)) if (cells[row] if key.table == target else numbers[row])}
            if key.table == target:
                linked |= {row for row in range(len(data)) if cells[row] is not None}
        numbers = [numbers[row] for row in places] if key.references == target else numbers
        cells = [cells[row] for row in places] if key.table == target else cells
        assert link.unknown == cells.count(None)
        assert link.none == numbers.count(0)
        assert link.most == max(numbers, default=0)
        assert abs(link.mean - (sum(numbers) / len(numbers) if numbers else 0)) < 1e-12
    assert found.without_linked_rows == len(set(places) - linked)
    for table in found.tables:
        cells = problem.tables[table.name]
        names = [name.removeprefix(f"{table.name}.") for name in problem.kinds if name.startswith(f"{table.name}.")]
        assert table.unknown == {name: cells[name].count(None) for name in names if None in cells[name]}
    assert sum(found.classes.values()) == len(places)
    assert str(found)
