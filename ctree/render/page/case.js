"use strict";

/* The page of a tree of attributes: its tests in words, and a form for a case, which goes down the tree. */

const tree = treeOf(modelOfPage());
const { model, N, C, parentOf, depthOf, leavesBelow, deepest } = tree;
const { isLeaf, isThere, branchesOf, shownOf, leafName, row, pathTo, pathShares } = tree;
const cases = casesOf(tree);
const { asked, classify, condition } = cases;

const NOUN = "case";
const forOutside = { classify, changes: cases.changes, valueWithin: cases.valueWithin };

/* What the page says */

function rowWords(node) {
  const words = [element("span", "condition", clipped(condition(node)))];
  if (isLeaf(node)) return [...words, ...leafWords(node)];
  const tested = element("span", "tested", ` · ${clipped(model.attributes[model.attribute[node]].name)}?`);
  return [...words, element("span", "asks", "· ", plural(leavesBelow[node], "leaf"), tested)];
}

function heading(node) {
  return element("p", "answer", `tests ${model.attributes[model.attribute[node]].name}`);
}

function wayTo(node) {
  return [condition(node)];
}

function wordsOf(node) {
  return node > 0 ? condition(node) : "";
}

function showMore() {}

function noteOf(node, share) {
  return share < 1 ? [percent(share)] : [];
}

/* The form */

function makeSide() {
  makeFields(model.attributes, asked);
  $("how").textContent = formHint(model.attributes, asked);
  $("case").addEventListener("input", askAgain);
  $("case").addEventListener("submit", (event) => event.preventDefault());
  $("case").addEventListener("reset", () => setTimeout(() => { readFields(model.attributes, asked); setAnswer(null); }));
  $("result").addEventListener("click", (event) => {
    const pressed = event.target.closest("button[data-node]");
    if (pressed) select(Number(pressed.dataset.node));
  });
}

function afterPruning() {}

/* Lead the case in the form down the tree, if there is one. */
function askAgain() {
  const values = readFields(model.attributes, asked);
  setAnswer(values === null ? null : { ...classify(values), values });
}

/* The leaves that a case comes to, and what would change its class. */
function showDetails(panel) {
  const ways = [...answer.leaves].sort((a, b) => b[1] - a[1]);
  const list = element("ul", "ways");
  for (const [node, share] of ways.slice(0, 8)) {
    const words = element("span", "", ...classWords(tree, model.best[node]), ` ${leafName(node)}: ${clipped(condition(node))}`);
    const way = button("", element("span", "number", percent(share)), words);
    way.dataset.node = node;
    list.append(element("li", "", way));
  }
  const title = ways.length === 1 ? "The leaf it ends in" : `Its shares in ${plural(ways.length, "leaf")}`;
  panel.append(element("h3", "", title), list);
  if (ways.length > 8) panel.append(element("p", "hint", `and ${ways.length - 8} more`));
  if (C > 1) showChanges(panel, answer.values);
}

let wanted = ""; // the class that the case should get; empty for any other

function showChanges(panel, values) {
  const choice = element("select"), part = element("div"), title = element("h3", "", "What would change it");
  choice.id = "wanted";
  choice.setAttribute("aria-label", "The class that it should get");
  choice.append(new Option("any other class", ""));
  model.classes.forEach((name, c) => { if (c !== answer.best) choice.append(new Option(name, c)); });
  choice.value = wanted;
  if (choice.selectedIndex < 0) choice.value = "";
  const show = () => {
    const aim = choice.value === "" ? null : Number(choice.value);
    part.replaceChildren(changesPart(tree, cases, values, aim, setFields));
  };
  choice.addEventListener("change", () => { wanted = choice.value; show(); });
  show();
  panel.append(title, ...(C > 2 ? [choice] : []), part);
}

function setFields(pairs) {
  for (const [a, value] of pairs) $(`a${a}`).value = fieldText(model.attributes[a], value);
  askAgain();
}
