"""Wrong command lines: status 2 for each, whoever finds it out, and what was meant where it can be guessed."""

from __future__ import annotations

import pathlib
import re

import pytest

from ctree.cli.main import MODULES, SUMMARIES

MEANT = {
    "a command": ("lern golf", "learn"),
    "an option of all": ("--verson", "--version"),
    "an option": ("learn golf --confidnce 0.3", "--confidence"),
    "an option before the source": ("learn --confidnce 0.3 golf", "--confidence"),
    "an option with =": ("learn golf --confidnce=0.3", "--confidence"),
    "an option of another method": ("learn golf --samplse 10", "--samples"),
    "a switch": ("learn golf --no-colapse", "--no-collapse"),
    "an option that is needed": ("export golf.json --too sql", "--to"),
    "an option of predict": ("predict golf.json golf.data --jsno", "--json"),
    "an option of envelope": ("envelope golf.json golf.data --gama0 0.9", "--gamma0"),
    "an option of show": ("show golf.json --htm x.html", "--html"),
    "an option of consult": ("consult golf.json --tre", "--tree"),
    "an option of compare": ("compare golf --fold 3", "--folds"),
    "an option of reproduce": ("reproduce cano2008 --data . --quik", "--quick"),
    "an option of convert": ("convert golf x.csv --forec", "--force"),
    "an option of mine": ("mine golf --min-suport 3", "--min-support"),
    "an option of c4.5": ("c4.5 -M 3", "-m"),
    "an option of c4.5rules": ("c4.5rules -R 3", "-r"),
    "an option of j48": ("j48 -doNotMakeSplitPointActualValues", "-doNotMakeSplitPointActualValue"),
    "a method": ("learn golf --method bic-stpo", "bic-stop"),
    "a method of linked tables": ("learn --relational shop --method bic-prun", "bic-prune"),
    "a method to compare": ("compare golf --method c4.5,naive-bays", "naive-bayes"),
    "a parameter to compare": ("compare golf --method c4.5(confidnce=0.1)", "confidence"),
    "a value to compare": ("compare golf --method c4.5(estimate=laplce)", "laplace"),
    "a committee": ("learn --relational shop --committee baging", "bagging"),
    "a committee to compare": ("compare --relational shop --method c4.4(committee=baging)", "bagging"),
    "an approach": ("learn golf --method probability --approach bic-stpo", "bic-stop"),
    "a value": ("learn golf --estimate laplce", "laplace"),
    "a list of values": ("learn --relational shop --aggregates count,meann", "mean"),
    "an engine": ("learn golf --engine dusk", "dask"),
    "what to do": ("learn golf --unknown-class dorp", "drop"),
    "a measure": ("compare golf --measure acuracy", "accuracy"),
    "a reference": ("compare golf --method c4.5,naive-bayes --reference naive-bays", "naive-bayes"),
    "a test": ("compare golf --test pared", "paired"),
    "a format": ("compare golf --format markdwn", "markdown"),
    "a paper": ("reproduce cano2080 --data .", "cano2008"),
    "an experiment": ("reproduce cano2008 --data . --experiment reading", "readings"),
    "what to export to": ("export golf.json --to pyton", "python"),
    "a dialect": ("export golf.json --to sql --dialect sqlit", "sqlite"),
    "a form of SQL": ("export golf.json --to sql --form wlak", "walk"),
    "a form of text": ("show shop.json --form prolg", "prolog"),
    "a kind": ("mine golf --kind maximl", "maximal"),
    "a class column": ("learn cases.csv --class clas", "class"),
    "a class column of ARFF": ("learn cases.arff --class clas", "class"),
    "a class column of scanned cases": ("learn cases.csv --memory 1GB --class clas", "class"),
    "a class column of Parquet": ("learn cases.parquet --class clas", "class"),
    "a class column to predict": ("predict golf.json cases.csv --class clas", "class"),
    "a class column of Parquet to predict": ("predict golf.json cases.parquet --class clas", "class"),
    "a discrete column": ("learn cases.csv --discrete humidty", "humidity"),
    "a discrete column of scanned cases": ("learn cases.csv --memory 1GB --discrete humidty", "humidity"),
    "a discrete column of Parquet": ("learn cases.parquet --class class --discrete humidty", "humidity"),
    "a column to convert": ("convert cases.csv x --discrete humidty", "humidity"),
    "a column to mine": ("mine cases.csv --discrete humidty", "humidity"),
    "a column to leave out": ("learn cases.csv --memory 1GB --ignore humidty", "humidity"),
    "weights": ("learn cases.parquet --class class --weights humidty", "humidity"),
    "a table": ("learn --relational shop.db --target custmer.left", "customer"),
    "a column of a table": ("learn --relational shop.db --target customer.leftt", "left"),
    "a kind of column": ("learn --relational shop.db --target customer.left --kinds customer.age=discret", "discrete"),
    "a column with a kind": ("learn --relational shop.db --target customer.left --kinds customer.agee=key",
                             "customer.age"),
    "a key": ("learn --relational shop.db --target customer.left --keys custmer=id", "customer"),
    "a link": ("learn --relational shop --links order.prodct=none", "order.product"),
    "a constant": ("learn --relational shop --constants customer.countri=no", "customer.country"),
    "a class": ("learn golf --class-weight Plya:2", "Play"),
}  # fmt: skip

WRONG = {
    "nothing": "",
    "no source": "learn",
    "no cases": "predict golf.json",
    "no paper": "reproduce --data .",
    "no folder": "reproduce cano2008",
    "no target": "convert golf",
    "no value": "learn golf --confidence",
    "no value of a letter": "c4.5 -m",
    "no form": "export golf.json",
    "an argument too many": "show golf.json golf.json",
    "no number": "learn golf --confidence much",
    "a number out of range": "learn golf --confidence 2",
    "a number that is not whole": "compare golf --folds 2.5",
    "no memory": "learn golf --memory little",
    "a letter out of range": "c4.5 -f golf -c 200",
    "a letter that is no number": "c4.5rules -f golf -c much",
    "a confidence out of range": "j48 -f golf -C 2",
    "a bound out of range": "envelope golf.json golf.data --gamma0 2",
    "more cases than there are": "learn golf --method map --min-cases 15",
    "more support than there is": "mine golf --min-support 99",
    "an option of no effect": "learn golf --subtree-raising --prune no",
    "settings that do not agree": "learn golf --method mcmc --invalid-proposals sweep-paper --strategy standard",
    "moves that do not add up": "learn golf --method mcmc --moves 0.1,0.1,0.1,0.1",
    "folds of a random split": "compare golf --folds 2 --holdout 0.3",
    "a cache and none": "compare golf --no-cache --cache x",
    "a cache and none for a paper": "reproduce cano2008 --data . --no-cache --fresh",
    "a set twice": "compare golf golf",
    "a learner that is none": "compare golf --method no.such:Learner",
    "all papers, one experiment": "reproduce all --data . --experiment whole",
    "two forms": "show golf.json --dot --html x.html",
    "a picture of no format": "show golf.json --plot x.xyz",
    "examples of a plain tree": "show golf.json --examples shop --html x.html",
    "examples without a page": "show shop.json --examples shop",
    "a member of no committee": "show golf.json --member 1",
    "an option of SQL for C": "export golf.json --to c --dialect sqlite",
    "a name that C does not take": "export golf.json --to c --name 1x",
    "linked tables as PMML": "export shop.json --to pmml",
    "a target of no form": "convert golf x.json",
    "the class of C4.5 files": "learn golf --class class",
    "discrete columns of C4.5 files": "mine golf --discrete windy",
    "the class of a C4.5 case file": "predict golf.json golf.data --class class",
    "weights without passes": "learn cases.csv --weights humidity",
    "weights of C4.5 files": "learn golf --memory 1GB --weights humidity",
    "a scheduler without Dask": "learn golf --scheduler tcp://node:8786",
    "Dask for C4.5 files": "learn golf --engine dask",
    "Parquet without a class": "learn cases.parquet",
    "the class as weight": "learn cases.parquet --class class --weights class",
    "the class left out": "learn cases.parquet --class class --ignore class",
    "a checkpoint of a method without": "learn golf --memory 1GB --method naive-bayes --checkpoint x",
    "a checkpoint in memory": "learn golf --checkpoint x",
    "a run of no file": "learn golf --method mcmc --resume",
    "linked tables without the word": "learn golf --target a.b",
    "a class of linked tables": "learn --relational shop --class left",
    "a plain table as linked ones": "learn --relational cases.csv",
    "a schema told like a database": "learn --relational shop --target customer.left",
    "a database without a target": "learn --relational shop.db",
    "pairs that are none": "learn --relational shop.db --target customer.left --keys customer",
    "members without a committee": "learn --relational shop --members 5",
    "the input as output": "learn cases.csv -o cases.csv",
    "two outputs to one file": "learn golf --memory 1GB --method c4.4 -o x.json --checkpoint x.json",
    "Parquet as output": "learn golf -o x.parquet",
    "no name of an output": "learn golf --output=",
}  # fmt: skip

FAILURES = {
    "no such cases": "learn nosuch",
    "no such model": "predict nosuch.json golf.data",
    "no such folder": "reproduce cestnik1990 --data nosuch --no-cache",
    "not a model": "show golf.names",
    "damaged cases": "learn damaged.csv",
    "cases without a column of the model": "predict golf.json less.csv",
    "test cases without the class": "learn cases.csv --test bare.csv",
    "no tree to draw": "show bayes.json --html bayes.html",
    "no model to export": "export average.json --to c",
    "a model of linked tables": "predict shop.json golf.data",
    "no place to write": "learn golf -o no/x.json",
    "a file of somebody else": "learn golf -o less.csv",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the command lines name, made once."""
    import ctree
    from tests.cli.conftest import EXAMPLES
    from tests.cli.test_relational_databases import filled

    folder = tmp_path_factory.mktemp("usage")
    (folder / "shop").symlink_to(EXAMPLES / "shop")
    golf = ctree.read_c45(EXAMPLES / "golf")
    ctree.write_csv(golf, folder / "cases.csv", "class")
    ctree.save(ctree.C45Classifier().fit(golf), folder / "golf.json")
    ctree.save(ctree.NaiveBayesClassifier().fit(golf), folder / "bayes.json")
    ctree.save(ctree.BayesOptimalClassifier(max_depth=1).fit(golf), folder / "average.json")
    shop = ctree.read_relational(EXAMPLES / "shop")
    ctree.save(ctree.RelationalTreeClassifier().fit(shop), folder / "shop.json")
    filled(str(folder / "shop.db"))
    (folder / "damaged.csv").write_text("x,y\n1\n")
    (folder / "less.csv").write_text("outlook,windy\nrain,true\n")
    rows = (folder / "cases.csv").read_text().splitlines()
    (folder / "bare.csv").write_text("\n".join(row.rpartition(",")[0] for row in rows) + "\n")
    return folder


@pytest.fixture
def command(files, ctree_command):
    """The command in a folder that has links to these files."""
    for file in files.iterdir():
        pathlib.Path(file.name).symlink_to(file)
    return ctree_command


def run(command, line):
    if "cases.parquet" in line:
        pytest.importorskip("pyarrow")
        from pyarrow import csv, parquet

        parquet.write_table(csv.read_csv("cases.csv"), "cases.parquet")
    if "cases.arff" in line:
        pytest.importorskip("arff")
        assert command("convert", "golf", "cases.arff", "--class", "class").status == 0
    if "--plot" in line:
        pytest.importorskip("matplotlib")
    there = {path.name for path in pathlib.Path().iterdir()}
    answer = command(*line.split())
    assert {path.name for path in pathlib.Path().iterdir()} == there
    return answer


@pytest.mark.parametrize("what", MEANT)
def test_what_was_meant_is_guessed(what, command):
    line, meant = MEANT[what]
    answer = run(command, line)
    assert answer.status == 2
    said = answer.err.splitlines()[-1]
    assert re.findall(r"did you mean '(.*?)'\?", said) == [meant], said


@pytest.mark.parametrize("what", WRONG)
def test_wrong_usage_is_status_2(what, command):
    answer = run(command, WRONG[what])
    assert answer.status == 2
    assert "Traceback" not in answer.err
    assert "did you mean" not in answer.err


@pytest.mark.parametrize("what", FAILURES)
def test_what_is_wrong_with_files_is_status_1(what, command):
    answer = run(command, FAILURES[what])
    assert answer.status == 1
    assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_refuses_what_it_does_not_know(name, ctree_command):
    answer = ctree_command(name, "--no-such-option")
    assert answer.status == 2
    assert re.search(r"no-such-option", answer.err.splitlines()[-1])


def test_an_option_that_no_command_has_is_not_guessed(ctree_command):
    for name in MODULES:
        assert "did you mean" not in ctree_command(name, "x", "--zyzzyva").err
