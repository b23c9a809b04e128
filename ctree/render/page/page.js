"use strict";

/* The page of a tree of any kind. What differs is in a file of its own, case.js or example.js: the tree and NOUN,
   condition, rowWords, heading, wayTo, wordsOf, showMore, makeSide, askAgain, afterPruning, showDetails, noteOf and forOutside. */

const AT_FIRST = 60; // rows, about, when the page opens
const MAX_ROWS = 1500; // at once: more would make the page slow
const MAX_LIT = 300;
const IN_LEGEND = 40; // classes; the others are folded

const rootList = $("tree"), scroller = $("scroller"), tip = $("tip");
const items = new Map(); // the nodes that have a row, with it
const unfolded = new Set();
let current = 0; // the node that is selected
let matches = [], matchSet = new Set(), match = -1;
let answer = null; // of the case in the form, or of the example that is picked
let unfoldedForCase = new Set();

/* Rows */

function newItem(node) {
  const item = element("li"), words = element("span", "words"), above = parentOf[node];
  const places = above < 0 ? [node] : shownOf(above);
  item.id = `n${node}`;
  item.tabIndex = -1;
  for (const [name, value] of Object.entries({
    role: "treeitem", "aria-level": depthOf[node] + 1, "aria-setsize": places.length,
    "aria-posinset": places.indexOf(node) + 1, "aria-selected": node === current, "aria-labelledby": `r${node}`,
  })) item.setAttribute(name, value);
  words.append(element("span", "twist", ""), ...rowWords(node), element("span", "share-place"));
  words.firstChild.setAttribute("aria-hidden", "true");
  const figures = element("span", "figures");
  const probabilities = row(model.probabilities, node), best = model.best[node];
  if (model.weights !== null) figures.append(element("span", "weight", chance(model.weights[node])));
  figures.append(element("span", "cases", count(model.cases[node])), element("span", "said", ...classWords(tree, best)),
    element("span", "chance", chance(probabilities[best])), bar(tree, probabilities, true));
  const line = element("div", "row", words, figures);
  line.id = `r${node}`;
  line.style.setProperty("--level", depthOf[node]);
  item.append(line);
  items.set(node, item);
  if (!isLeaf(node)) showOpen(node, item);
  light(node);
  item.classList.toggle("found", matchSet.has(node));
  return item;
}

function leafWords(node) {
  return [element("span", "asks end", "→"), element("span", "class", ...classWords(tree, model.best[node])),
    element("span", "asks leaf-number", leafName(node))];
}

/* The rows of a node's branches, and of theirs where they are unfolded. All rows stand side by side in one list, for a
   browser does not bear elements within elements as deep as trees can be. */
function rowsBelow(node) {
  const result = [], waiting = shownOf(node).reverse();
  while (waiting.length > 0) {
    const below = waiting.pop();
    result.push(newItem(below));
    if (unfolded.has(below)) waiting.push(...shownOf(below).reverse());
  }
  return result;
}

function isOpen(node) {
  return unfolded.has(node);
}

function setOpen(node, open) {
  if (isLeaf(node) || isOpen(node) === open) return;
  if (open) unfolded.add(node);
  else unfolded.delete(node);
  const item = items.get(node);
  if (item === undefined) return;
  showOpen(node, item);
  if (open) {
    item.after(...rowsBelow(node));
    return;
  }
  const hadFocus = rootList.contains(document.activeElement);
  let next = item.nextElementSibling;
  while (next !== null && depthOf[nodeOf(next)] > depthOf[node]) {
    items.delete(nodeOf(next));
    next.remove();
    next = item.nextElementSibling;
  }
  // What is folded away cannot stay selected: the keys would go nowhere.
  if (!items.has(current)) select(node, hadFocus);
}

function showOpen(node, item) {
  item.setAttribute("aria-expanded", isOpen(node));
  item.querySelector(".twist").textContent = isOpen(node) ? "▾" : "▸";
}

/* Show the tree anew, down to a depth; nodes are numbered level by level, so a limit cuts the deepest. */
function showDownTo(depth) {
  $("depth").value = depth;
  items.clear();
  unfolded.clear();
  unfoldedForCase.clear();
  let rows = 1, cut = false;
  for (let node = 0; node < N && depthOf[node] < depth; node++) {
    if (isLeaf(node) || !isThere(node)) continue;
    if (rows + model.branches[node] > MAX_ROWS) {
      cut = true;
      break;
    }
    rows += model.branches[node];
    unfolded.add(node);
  }
  const root = newItem(0);
  rootList.replaceChildren(root, ...(isOpen(0) ? rowsBelow(0) : []));
  const notice = `${plural(rows, "row")} are shown of ${WHOLE.format(N)}: unfold further by hand.`;
  $("notice").textContent = cut ? notice : "";
  while (!items.has(current)) current = parentOf[current];
  if (answer !== null) showWays();
  select(current, false);
}

/* How deep the tree can be unfolded to fit on a screen or two; one level always is. */
function fittingDepth() {
  const rows = new Array(deepest + 1).fill(0);
  for (let node = 0; node < N; node++) if (isThere(node)) rows[depthOf[node]] += 1;
  let depth = Math.min(1, deepest), shown = rows[0] + (rows[1] ?? 0);
  while (depth < deepest && rows[depth + 1] > 0 && shown + rows[depth + 1] <= AT_FIRST) shown += rows[++depth];
  return depth;
}

function reveal(node) {
  for (const above of pathTo(node).slice(0, -1)) setOpen(above, true);
}

function scrollTo(node) {
  const line = items.get(node).firstChild.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
  const top = frame.top + $("columns").offsetHeight;
  if (line.top < top || line.bottom > frame.bottom) scroller.scrollTop += line.top - (top + frame.bottom) / 2;
  const words = items.get(node).querySelector(".condition").getBoundingClientRect();
  const end = items.get(node).querySelector(".figures").getBoundingClientRect().left;
  if (words.left < frame.left + 40 || words.right > end) {
    scroller.scrollLeft += words.left - frame.left - frame.width / 4;
  }
}

function select(wanted, focus = true) {
  let node = wanted;
  while (!isThere(node)) node = parentOf[node]; // it is pruned away
  reveal(node);
  const before = items.get(current), item = items.get(node);
  before?.setAttribute("aria-selected", "false");
  if (before) before.tabIndex = -1;
  current = node;
  item.setAttribute("aria-selected", "true");
  item.tabIndex = 0;
  if (focus) item.focus({ preventScroll: true });
  scrollTo(node);
  describeNode();
}

/* What is known of a node */

function distribution(node, most) {
  const table = classTable(tree, row(model.probabilities, node), most, row(model.counts, node));
  table.prepend(tableRow("th", ["class", ""], [`${NOUN}s`, "number"], ["probability", "number"], ["", ""]));
  return table;
}

function nodeFigures(node) {
  const parts = [plural(model.cases[node], NOUN).replace(/^[\d,.]+/, count(model.cases[node]))];
  if (isLeaf(node) && model.errors[node] >= 0.05) parts.push(`errors ${count(model.errors[node])}`);
  if (!isLeaf(node)) parts.push(plural(leavesBelow[node], "leaf"));
  if (model.weights !== null) parts.push(`weight ${chance(model.weights[node])}`);
  return parts.join(" · ");
}

const WEIGHING = {
  path: "Its probabilities are an average of what the nodes on the way say; each counts as given. The weight of a node "
    + "is what it counts in the average that ends with it.",
  prunings: "Its probabilities are an average over all prunings of the tree; each node on the way counts as given. The "
    + "weight of a node is how probable it is that the tree is pruned there, if it reaches so far.",
};

function describeNode() {
  const panel = $("node"), path = pathTo(current);
  panel.replaceChildren();
  const title = isLeaf(current) ? element("p", "answer", `${leafName(current)}:\u00a0`, ...classWords(tree, model.best[current])) : heading(current);
  panel.append(title, element("p", "hint", nodeFigures(current)), distribution(current, 12));
  const list = element("ol", "path");
  const shares = model.weighing ? pathShares(path) : null;
  path.forEach((node, i) => {
    const line = element("li", "", ...wayTo(node));
    if (shares !== null) line.append(" ", element("span", "number", `counts ${chance(shares[i])}`));
    list.append(line);
  });
  panel.append(element("h3", "", "The way here"), list);
  if (shares !== null) {
    panel.append(element("p", "hint", WEIGHING[model.weighing]));
  }
  showMore(panel, current);
}

function showTip(node, x, y) {
  const place = element("p", "place", ...wayTo(node)), figures = element("p", "hint", nodeFigures(node));
  tip.replaceChildren(place, figures, distribution(node, 6));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 16, innerWidth - width - 4))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
}

/* Search */

let texts = null;

function search(query) {
  findMatches(query);
  if (matches.length > 0) goToMatch(1);
}

function findMatches(query) {
  texts ??= Array.from({ length: N }, (_, node) => {
    const words = [wordsOf(node), ...(isLeaf(node) ? [model.classes[model.best[node]], leafName(node)] : [])];
    return words.join("\n").toLowerCase();
  });
  const wanted = query.trim().toLowerCase();
  matches = wanted === "" ? [] : inOrder().filter((node) => texts[node].includes(wanted));
  matchSet = new Set(matches);
  for (const [node, item] of items) item.classList.toggle("found", matchSet.has(node));
  match = -1;
  $("found").textContent = wanted === "" ? "" : matches.length === 0 ? "no match" : plural(matches.length, "match");
}

/* The nodes as they stand on the page, each before its branches. */
function inOrder() {
  const result = [], waiting = [0];
  while (waiting.length > 0) {
    const node = waiting.pop();
    result.push(node);
    waiting.push(...shownOf(node).reverse());
  }
  return result;
}

function goToMatch(step) {
  if (matches.length === 0) return;
  match = (match + step + matches.length) % matches.length;
  select(matches[match], false);
  $("found").textContent = `${WHOLE.format(match + 1)} of ${plural(matches.length, "match")}`;
}

/* A case or an example */

function setAnswer(result) {
  answer = result;
  for (const node of items.keys()) light(node);
  const old = [...unfoldedForCase].filter((node) => !answer?.shares.has(node)).sort((a, b) => b - a);
  for (const node of old) if (isOpen(node)) setOpen(node, false);
  unfoldedForCase = new Set([...unfoldedForCase].filter((node) => answer?.shares.has(node)));
  const panel = $("result");
  panel.replaceChildren();
  if (answer === null) return;
  showWays();
  panel.append(element("p", "answer", ...classWords(tree, answer.best)));
  const table = classTable(tree, answer.probabilities, 9);
  table.id = "probabilities";
  panel.append(table);
  showDetails(panel);
}

/* Unfold the ways of what is looked at, those of the largest shares where they are many, and go to its main leaf. */
function showWays() {
  const inner = [...answer.shares].filter(([node]) => !isLeaf(node));
  inner.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  let rows = 0;
  for (const [node] of inner) {
    rows += model.branches[node];
    if (rows > MAX_LIT) break;
    if (!items.has(node)) continue; // its parent is not unfolded
    if (!isOpen(node)) unfoldedForCase.add(node);
    setOpen(node, true);
  }
  if (answer.leaf >= 0) select(answer.leaf, false);
}

function light(node) {
  const share = answer?.shares.get(node), item = items.get(node), place = item.querySelector(".share-place");
  item.classList.toggle("lit", share !== undefined);
  const note = share === undefined ? [] : noteOf(node, share);
  place.className = `share-place${note.length > 0 ? " share" : ""}`;
  place.replaceChildren(...note);
}

/* Keys and pointers */

function nodeOf(target) {
  const item = target.closest?.("#tree li");
  return item ? Number(item.id.slice(1)) : null;
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const item = items.get(current);
  let to = null;
  switch (event.key) {
    case "ArrowDown": to = item.nextElementSibling; break;
    case "ArrowUp": to = item.previousElementSibling; break;
    case "ArrowRight":
      if (isOpen(current)) to = item.nextElementSibling;
      else setOpen(current, true);
      break;
    case "ArrowLeft":
      if (isOpen(current)) setOpen(current, false);
      else to = items.get(parentOf[current]) ?? null;
      break;
    case "Home": to = rootList.firstElementChild; break;
    case "End": to = rootList.lastElementChild; break;
    case "Enter": case " ": setOpen(current, !isOpen(current)); break;
    case "*": for (const node of current > 0 ? shownOf(parentOf[current]) : [0]) setOpen(node, true); break;
    default: return;
  }
  event.preventDefault();
  tip.hidden = true;
  if (to !== null) select(nodeOf(to));
}

rootList.addEventListener("keydown", onKey);
rootList.addEventListener("click", (event) => {
  const node = nodeOf(event.target);
  if (node === null) return;
  select(node);
  if (event.target.closest(".twist")) setOpen(node, !isOpen(node));
});
rootList.addEventListener("dblclick", (event) => {
  const node = nodeOf(event.target);
  if (node !== null && !event.target.closest(".twist")) setOpen(node, !isOpen(node));
});
rootList.addEventListener("pointermove", (event) => {
  if (event.pointerType !== "mouse") return; // a finger would cover what it points at
  const node = event.target.closest(".row") ? nodeOf(event.target) : null;
  if (node === null) tip.hidden = true;
  else showTip(node, event.clientX, event.clientY);
});
rootList.addEventListener("pointerleave", () => { tip.hidden = true; });
scroller.addEventListener("scroll", () => { tip.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") tip.hidden = true;
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    $("search").focus();
  }
});
$("search").addEventListener("input", () => search($("search").value));
$("search").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  goToMatch(event.shiftKey ? -1 : 1);
});
$("next").addEventListener("click", () => goToMatch(1));
$("previous").addEventListener("click", () => goToMatch(-1));
$("unfold").addEventListener("click", () => showDownTo(deepest));
$("fold").addEventListener("click", () => showDownTo(0));
$("depth").addEventListener("change", () => showDownTo(Number($("depth").value)));

/* The beginning */

document.body.classList.toggle("weighed", model.weights !== null);
document.body.classList.toggle("many", C > TELLABLE);
const longest = model.classes.reduce((most, name) => Math.max(most, name.length), 1);
document.body.style.setProperty("--names", `${(0.55 * Math.min(longest + 1, 16)).toFixed(2)}rem`);
addEventListener("pointerdown", (event) => document.body.classList.toggle("touched", event.pointerType === "touch"));
$("summary").textContent = [plural(N, "node"), plural(leavesBelow[0], "leaf"), `depth ${deepest}`,
  `${count(model.cases[0])} training ${NOUN}s`, plural(C, "class")].join(" · ");
const legend = model.classes.map((_, c) => element("li", "", ...classWords(tree, c)));
$("legend").append(...legend.slice(0, IN_LEGEND));
$("more-classes").hidden = C <= IN_LEGEND;
$("more-classes").firstElementChild.textContent = `${plural(C - IN_LEGEND, "more class")}`;
$("legend-more").append(...legend.slice(IN_LEGEND));
for (let depth = 0; depth <= deepest; depth++) {
  $("depth").append(new Option(depth === 0 ? "the root" : `depth ${depth}`, depth));
}
makeSide();
makePruning();
showDownTo(model.opening === null ? fittingDepth() : Math.min(model.opening, deepest));
scroller.scrollTop = 0;

/* For those who want to ask the page from outside. */
window.ctreePage = { model, pathTo, pathShares, condition, select, answer: () => answer, ...forOutside };
