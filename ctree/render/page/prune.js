"use strict";

/* A slider over the nested prunings of the tree: what is pruned away is folded, and cases end where the tree does. */

const nested = model.prunings; // null if the tree has no test
const last = nested === null ? 0 : nested.leaves.length - 1; // the root alone; 0 is the whole tree
let waitingFor = null; // the pruning to show with the next picture of the page

function errorAt(kind, stop) {
  return nested[kind] === null ? null : nested[kind][stop] / nested[`${kind}_cases`];
}

function pruningWords(stop) {
  const words = [stop === 0 ? `whole tree, ${plural(nested.leaves[0], "leaf")}`
    : `${WHOLE.format(nested.leaves[stop])} of ${plural(nested.leaves[0], "leaf")}`];
  words.push(`training error ${nested.in_parts ? "about " : ""}${percent(errorAt("training", stop))}`);
  if (nested.test !== null) words.push(`test error ${percent(errorAt("test", stop))}`);
  return words;
}

function saySize(stop) {
  const words = pruningWords(stop);
  $("stop").setAttribute("aria-valuetext", words.join(", "));
  $("stop-said").replaceChildren(
    ...words.flatMap((word, i) => [element("span", ["", "training", "test"][i], word), " "]));
  $("here").setAttribute("x1", last - stop);
  $("here").setAttribute("x2", last - stop);
}

function showPruning(stop) {
  const asking = answer !== null, searching = $("search").value;
  tree.pruneTo(stop);
  if (asking) setAnswer(null);
  afterPruning();
  showDownTo(fittingDepth());
  texts = null; // a node that is a leaf now has a class to be found
  if (searching !== "") findMatches(searching);
  if (asking) askAgain();
}

/* The slider has the root alone at its left end, and the whole tree at its right end. */
function onSlide() {
  const stop = last - Number($("stop").value), isWaiting = waitingFor !== null;
  waitingFor = stop;
  saySize(stop);
  if (isWaiting) return;
  requestAnimationFrame(() => {
    const next = waitingFor;
    waitingFor = null;
    showPruning(next);
  });
}

function drawCurve() {
  const kinds = ["training", "test"].filter((kind) => nested[kind] !== null), stops = nested.leaves.map((_, stop) => stop);
  const most = kinds.reduce((all, kind) => stops.reduce((m, stop) => Math.max(m, errorAt(kind, stop)), all), 1e-9);
  for (const kind of kinds) {
    const points = stops.map((stop) => `${last - stop},${(1 - errorAt(kind, stop) / most).toFixed(4)}`);
    $(`${kind}-curve`).setAttribute("points", points.join(" "));
  }
  $("curve").setAttribute("viewBox", `0 0 ${last} 1`);
}

function makePruning() {
  if (last === 0) return;
  $("pruning").hidden = false;
  Object.assign($("stop"), { max: last, value: last });
  $("stop").addEventListener("input", onSlide);
  drawCurve();
  saySize(0);
  if (nested.test === null) return;
  const least = nested.test.reduce((best, errors, stop) => (errors <= nested.test[best] ? stop : best), 0);
  $("least").hidden = false;
  $("least").addEventListener("click", () => { $("stop").value = last - least; onSlide(); });
}
