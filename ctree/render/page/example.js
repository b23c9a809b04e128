"use strict";

/* Trees of linked tables: questions in words, and examples whose ways through the tree can be looked at. */

const tree = treeOf(modelOfPage());
const { model, N, C, parentOf, depthOf, leavesBelow, deepest } = tree;
const { isLeaf, isThere, branchesOf, shownOf, leafName, row, pathTo, pathShares } = tree;

const NOUN = "example";
const ROW_WIDTH = 240, NAME_WIDTH = 60, HERE = 12;
const forOutside = { pick };

/* What the page says. A question is a list of texts, every second of which names a row. */

function question(node) {
  return model.questions[node].join("");
}

/* A question with its names of rows stressed, no longer than this. */
function stressed(parts, width = Infinity) {
  const result = [];
  let rest = width;
  parts.forEach((part, i) => {
    if (rest <= 0 || part === "") return;
    const text = part.length <= rest ? part : `${part.slice(0, rest - 1)}…`;
    rest -= part.length;
    result.push(i % 2 === 1 ? element("b", "named", text) : text);
  });
  return result;
}

/* Whether the answer yes leads to a node. */
function isYes(node) {
  return node === model.first[parentOf[node]];
}

function answerWord(node) {
  return element("b", "says", isYes(node) ? "yes" : "no");
}

/* What leads to a node, in words. */
function condition(node) {
  return node === 0 ? "all examples" : `${question(parentOf[node])} ${isYes(node) ? "yes" : "no"}`;
}

function wayTo(node) {
  if (node === 0) return ["all examples"];
  return [...stressed(model.questions[parentOf[node]], 4 * ROW_WIDTH), " ", answerWord(node)];
}

function rowWords(node) {
  const words = element("span", "condition");
  if (node > 0) words.append(answerWord(node), " ");
  else if (isLeaf(node)) words.append("all examples");
  if (isLeaf(node)) return [words, ...leafWords(node)];
  const below = element("span", "asks tested", ` · ${plural(leavesBelow[node], "leaf")}`);
  words.append(...stressed(model.questions[node], ROW_WIDTH), below);
  return [words];
}

function heading(node) {
  return element("p", "question", ...stressed(model.questions[node]));
}

function wordsOf(node) {
  return isLeaf(node) ? "" : question(node);
}

/* The examples */

let examples = examplesNow();

/* The examples with their ways, which end where the tree is pruned. */
function examplesNow() {
  return (model.examples ?? []).map(([name, end, actual, rows], place) => {
    const whole = pathTo(end), path = whole.slice(0, whole.findIndex(isLeaf) + 1), leaf = path.at(-1);
    const found = new Map(path.slice(0, -1).map((node, i) => [node, rows[i]]));
    const best = model.best[leaf], wrong = actual !== null && actual !== model.classes[best];
    return { place, name, leaf, actual, path, found, best, wrong };
  });
}

/* After the tree was pruned in another way: who is wrong, and what is listed. */
function afterPruning() {
  examples = examplesNow();
  if (model.examples === null) return;
  const chosen = $("example").value;
  listExamples();
  $("example").value = chosen;
}

function askAgain() {
  pick($("example").value);
}

function foundWords([name, key]) {
  const words = typeof key === "number" ? `row ${WHOLE.format(key)}` : short(key);
  return [element("b", "named", short(name)), ` is ${words}`];
}

function short(text) {
  return text.length <= NAME_WIDTH ? text : `${text.slice(0, NAME_WIDTH - 1)}…`;
}

function makeSide() {
  if (model.examples === null) return;
  document.querySelector("label[for=example]").textContent = short(model.target);
  $("how").textContent = `${plural(examples.length, "example")} to look at: each question with the rows that answer it.`;
  listExamples();
  $("example").addEventListener("change", () => pick($("example").value));
  $("wrong").addEventListener("change", () => { listExamples(); pick(""); });
  $("before").addEventListener("click", () => step(-1));
  $("after").addEventListener("click", () => step(1));
  $("case").addEventListener("submit", (event) => event.preventDefault());
  $("case").addEventListener("reset", () => setTimeout(() => { listExamples(); pick(""); }));
  document.querySelector("aside").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-node], button[data-example]");
    if (button?.dataset.node) select(Number(button.dataset.node));
    else if (button) pick(button.dataset.example);
  });
}

function listExamples() {
  const wrong = examples.filter((example) => example.wrong).length;
  $("only").hidden = wrong === 0;
  $("only").querySelector("span").textContent = `only wrong predictions (${WHOLE.format(wrong)})`;
  if (wrong === 0) $("wrong").checked = false;
  const shown = examples.filter((example) => example.wrong || !$("wrong").checked);
  const options = shown.map(({ place, name, best, actual, wrong }) => {
    const is = wrong ? ` (is ${short(actual)})` : "";
    return new Option(`${short(name)}: ${short(model.classes[best])}${is}`, place);
  });
  $("example").replaceChildren(new Option("none", ""), ...options);
}

function step(by) {
  const list = $("example");
  list.selectedIndex = (list.selectedIndex + by + list.length) % list.length;
  pick(list.value);
}

/* Look at the example with this number, or at none. */
function pick(number) {
  const place = String(number), list = $("example");
  if (place !== "" && ![...list.options].some((option) => option.value === place)) {
    $("wrong").checked = false;
    listExamples();
  }
  list.value = place;
  if (place === "") {
    setAnswer(null);
    return;
  }
  const example = examples[place];
  const shares = new Map(example.path.map((node) => [node, 1]));
  const probabilities = row(model.probabilities, example.leaf);
  setAnswer({ example, probabilities, best: example.best, leaf: example.leaf, leaves: [[example.leaf, 1]], shares });
}

/* The rows that answer the question of a node. */
function noteOf(node) {
  return (answer.example.found.get(node) ?? []).flatMap((row, i) => [i > 0 ? ", " : "", ...foundWords(row)]);
}

/* The way of the example that is looked at. */
function showDetails(panel) {
  const { actual, wrong, path, found, leaf } = answer.example;
  const end = wrong ? `not ${model.classes[answer.best]}` : "as predicted";
  if (actual !== null) panel.append(element("p", "hint", `Its class is ${actual}, ${end}.`));
  const list = element("ol", "path");
  path.slice(1).forEach((node) => {
    const above = parentOf[node], rows = found.get(above);
    const line = element("li", "", ...stressed(model.questions[above], 4 * ROW_WIDTH), " ", answerWord(node));
    line.append(...rows.map((row) => element("span", "rows", ...foundWords(row), row[2] === "" ? "" : `: ${row[2]}`)));
    list.append(line);
  });
  const button = element("button", "", "→ ", element("span", "", ...classWords(tree, model.best[leaf])));
  button.type = "button";
  button.dataset.node = leaf;
  panel.append(element("h3", "", "Its way"), list, element("p", "ways", button));
}

/* Examples that come to a node. */
function showMore(panel, node) {
  const here = examples.filter((example) => example.path.includes(node));
  if (here.length === 0) return;
  const list = element("p", "here");
  for (const { place, name } of here.slice(0, HERE)) {
    const button = element("button", "", short(name));
    button.type = "button";
    button.dataset.example = place;
    list.append(button, " ");
  }
  if (here.length > HERE) list.append(`and ${WHOLE.format(here.length - HERE)} more`);
  panel.append(element("h3", "", "Examples that come here"), list);
}
