"""Monotone probabilities on the command line."""

import ctree


def write_credit(path):
    rows = [(income, age) for income in range(1, 9) for age in (20, 40, 60) for _ in range(4)]
    good = [(income * 7 + age + i) % 11 > 5 - income / 3 for i, (income, age) in enumerate(rows)]
    lines = [f"{a},{b},{'good' if c else 'bad'}" for (a, b), c in zip(rows, good, strict=True)]
    path.write_text("\n".join(["income,age,class", *lines]) + "\n")


def test_a_model_is_learned_with_what_was_typed(ctree_command, tmp_path):
    write_credit(tmp_path / "credit.csv")
    model = tmp_path / "model.json"
    arguments = ["--method", "c4.4", "--monotone", "income:+,age:-good", "-o", str(model)]
    assert ctree_command("learn", "credit.csv", *arguments).status == 0
    loaded = ctree.load(model)
    assert loaded.monotone == {"income": 1, "age": ("good", -1)}
    cases = {"income": list(range(1, 9)), "age": [40] * 8}
    found = loaded.predict_proba(cases)[:, 1].tolist()
    assert found == sorted(found)
    free = ctree.ProbabilityTreeClassifier().fit(ctree.read_csv(tmp_path / "credit.csv", "class"))
    assert free.predict_proba(cases)[:, 1].tolist() != sorted(free.predict_proba(cases)[:, 1].tolist())


def test_what_is_wrong_is_told(ctree_command):
    for typed, message in {
        "temperature:up": "argument --monotone: it should be none or attributes with + or -, as in income:+,age:-, not",
        "temprature:+": "there is no attribute 'temprature' among outlook, temperature, humidity, windy (did you mean",
        "outlook:+": "the attribute 'outlook', which is discrete, and its values have no order",
    }.items():
        answer = ctree_command("learn", "golf", "--monotone", typed)
        assert answer.status == 2
        assert message in answer.err
