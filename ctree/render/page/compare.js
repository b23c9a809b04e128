"use strict";

/* Two models side by side: one form with the attributes of both, and what each says of the case. */

const pair = modelOfPage();
const { attributes } = pair;
const sides = pair.sides.map((side) => {
  const tree = treeOf(side.model);
  return { ...side, tree, cases: casesOf(tree) };
});
// The attributes that one of them asks for, and which do.
const askers = attributes.map((_, u) => sides.filter((side) => side.cases.asked.some((a) => side.places[a] === u)));
const asked = attributes.flatMap((_, u) => (askers[u].length > 0 ? [u] : []));

/* A case of the form as a model has it: null also for a value that it does not know. */
function valuesFor(side, values) {
  return side.model.attributes.map((attribute, a) => {
    const u = side.places[a], value = u < 0 ? null : values[u];
    return value === null || choicesOf(attribute) === null ? value : side.codes[a][value];
  });
}

function answersTo(values) {
  return sides.map((side) => {
    const own = valuesFor(side, values), answer = side.cases.classify(own);
    return { own, ...answer, label: side.model.classes[answer.best] };
  });
}

/* The probability that an answer gives a class by its name. */
function probabilityOf(side, answer, name) {
  const c = side.model.classes.indexOf(name);
  return c < 0 ? 0 : answer.probabilities[c];
}

function showVerdict(answers) {
  const differs = answers[0].label !== answers[1].label, verdict = $("verdict");
  const gaps = pair.classes.map((name) => Math.abs(probabilityOf(sides[0], answers[0], name) - probabilityOf(sides[1], answers[1], name)));
  const most = gaps.reduce((best, gap, c) => (gap > gaps[best] ? c : best), 0);
  const names = sides.map((side, i) => `${side.name} says ${answers[i].label}`);
  verdict.classList.toggle("differs", differs);
  verdict.replaceChildren(differs ? `They differ: ${names.join(", ")}.` : `Both say ${answers[0].label}.`);
  const gap = gaps[most] < 0.0005
    ? "Their probabilities are the same, to three digits."
    : `Their probabilities of ${pair.classes[most]} differ most, by ${chance(gaps[most])}.`;
  verdict.append(element("span", "hint", gap));
}

function showSide(side, answer) {
  const { tree, cases } = side, panel = side.panel;
  const way = element("ol", "path");
  for (const node of tree.pathTo(answer.leaf).slice(1)) way.append(element("li", "", cases.condition(node)));
  const share = answer.leaves.length > 1
    ? `The way to the largest of its parts, ${percent(answer.shares.get(answer.leaf))} of it`
    : "Its way";
  panel.replaceChildren(element("p", "answer", ...classWords(tree, answer.best)), classTable(tree, answer.probabilities, 9),
    element("h3", "", share), way.childElementCount > 0 ? way : element("p", "hint", "It asks for nothing."));
  const strange = asked.filter((u) => side.unknownTo(u, answer.own));
  if (strange.length > 0) {
    const names = strange.map((u) => attributes[u].name).join(", ");
    panel.append(element("p", "hint", `It does not know the value of ${names}, which counts as unknown.`));
  }
  const set = (pairs) => setFields(pairs.map(([a, value]) => [side.places[a], side.back(a, value)]));
  panel.append(element("h3", "", "What would change it"), changesPart(tree, cases, answer.own, null, set));
}

function setFields(pairs) {
  for (const [u, value] of pairs) $(`a${u}`).value = fieldText(attributes[u], value);
  $("differing").value = "";
  ask();
}

let given = new Array(attributes.length).fill(null); // the case in the form

function ask() {
  const values = readFields(attributes, asked);
  if (values === null) return;
  given = values;
  const answers = answersTo(values);
  showVerdict(answers);
  sides.forEach((side, i) => showSide(side, answers[i]));
}

for (const side of sides) {
  side.unknownTo = (u, own) => {
    const a = side.places.indexOf(u);
    return given[u] !== null && a >= 0 && side.cases.asked.includes(a) && own[a] === null;
  };
  side.back = (a, value) => (choicesOf(side.model.attributes[a]) === null ? value : side.codes[a].indexOf(value));
  side.panel = element("div");
  const summary = [plural(side.tree.leavesBelow[0], "leaf"), `depth ${side.tree.deepest}`,
    `${count(side.model.cases[0])} training cases`].join(" · ");
  $("models").append(element("section", "card", element("h2", "", ...breakable(side.name)),
    element("p", "about", side.about), element("p", "hint", summary), side.panel));
}

/* Cases on which they differ */

function showTested({ cases, differ, wrong, listed }) {
  const errors = sides.map((side, i) => `${side.name} is wrong on ${WHOLE.format(wrong[i])}`).join(", ");
  $("tested").hidden = false;
  $("tested-said").textContent = `They differ on ${WHOLE.format(differ)} of ${plural(cases, "test case")}; ${errors}.`;
  const options = listed.map(({ number, labels, actual }, i) => new Option(
    `case ${number}: ${labels.map(clipped).join(" or ")}${actual === null ? "" : `, is ${clipped(actual)}`}`, i));
  const left = differ - listed.length;
  $("differing").append(new Option(left > 0 ? `the first ${listed.length} on which they differ` : "cases on which they differ", ""), ...options);
  document.querySelector("#tested .picker").hidden = listed.length === 0;
  const pick = () => {
    const chosen = listed[$("differing").value];
    for (const u of asked) {
      const value = chosen?.values[u] ?? null;
      $(`a${u}`).value = value === null ? "" : fieldText(attributes[u], value);
    }
    ask();
  };
  const step = (by) => {
    const list = $("differing");
    list.selectedIndex = (list.selectedIndex + by + list.length) % list.length;
    pick();
  };
  $("differing").addEventListener("change", pick);
  $("before").addEventListener("click", () => step(-1));
  $("after").addEventListener("click", () => step(1));
}

/* The beginning */

const named = { model: { classes: pair.classes, colours: pair.colours } };
$("legend").append(...pair.classes.map((_, c) => element("li", "", ...classWords(named, c))));
makeFields(attributes, asked);
for (const u of asked) {
  if (askers[u].length < sides.length) {
    document.querySelector(`label[for=a${u}]`).append(element("span", "other hint", ` (only ${askers[u][0].name})`));
  }
}
$("how").textContent = asked.length === 0 ? "They ask for nothing." : "Each treats unknown values in its own way.";
$("case").addEventListener("input", (event) => {
  if (event.target.id === "differing") return;
  $("differing").value = "";
  ask();
});
$("case").addEventListener("submit", (event) => event.preventDefault());
$("case").addEventListener("reset", () => setTimeout(ask));
if (pair.tested !== null) showTested(pair.tested);
ask();

/* For those who want to ask the page from outside. */
window.ctreePage = { data: pair, answersTo, ask };
