"use strict";

/* The model and what follows from it: nothing here knows of the page. */

const model = JSON.parse(document.getElementById("model").textContent);
const LEAF = 0, THRESHOLD = 1, GROUPS = 3; // 2 is a branch per value
const N = model.test.length, C = model.classes.length;

const parentOf = new Int32Array(N).fill(-1), depthOf = new Int32Array(N), leavesBelow = new Int32Array(N);
for (let node = 0; node < N; node++) {
  for (const branch of branchesOf(node)) {
    parentOf[branch] = node;
    depthOf[branch] = depthOf[node] + 1;
  }
}
for (let node = N - 1; node >= 0; node--) {
  if (isLeaf(node)) leavesBelow[node] = 1;
  if (node > 0) leavesBelow[parentOf[node]] += leavesBelow[node];
}
const deepest = depthOf.reduce((most, depth) => Math.max(most, depth), 0);

function isLeaf(node) {
  return model.test[node] === LEAF;
}

function branchesOf(node) {
  return Array.from({ length: model.branches[node] }, (_, b) => model.first[node] + b);
}

/* A row of numbers, one per class: the number that most of it is, then places and numbers of the others. */
function row(rows, node) {
  const [usual, ...others] = rows[node];
  const result = new Array(C).fill(usual);
  for (let i = 0; i < others.length; i += 2) result[others[i]] = others[i + 1];
  return result;
}

/* What the tree gets of a case: per attribute a code or a number, null where it is unknown and stays so. */
function prepare(values) {
  return model.attributes.map((attribute, a) => {
    const value = values[a] ?? attribute.fill;
    if (value === null || attribute.cuts === null) return value;
    let bin = 0; // a cut belongs to the bin below it
    while (bin < attribute.cuts.length && attribute.cuts[bin] < value) bin++;
    return bin;
  });
}

/* The branch that a prepared case takes; -1 where it does not tell. */
function branchOf(node, known) {
  const value = known[model.attribute[node]];
  if (value === null) return -1;
  if (model.test[node] === THRESHOLD) {
    return (model.float32 ? Math.fround(value) : value) <= model.threshold[node] ? 0 : 1;
  }
  const branch = model.test[node] === GROUPS ? model.groups[node][value] : value;
  return branch < model.branches[node] ? branch : -1;
}

/* A case down the tree. `values` has per attribute a code, a number, or null for unknown. Where a test cannot be
   answered, every branch gets its share of the case, as the training cases went; the order of sums is that of ctree. */
function classify(values) {
  const known = prepare(values);
  const shares = new Map(), leaves = [];
  const waiting = [[0, 1]];
  while (waiting.length > 0) {
    let [node, share] = waiting.pop();
    for (;;) {
      shares.set(node, share);
      if (isLeaf(node)) {
        leaves.push([node, share]);
        break;
      }
      const branch = branchOf(node, known);
      if (branch < 0) {
        for (const below of branchesOf(node).reverse()) {
          if (model.cases[below] > 0) waiting.push([below, (share * model.cases[below]) / model.cases[node]]);
        }
        break;
      }
      node = model.first[node] + branch;
    }
  }
  const probabilities = mixed(leaves, model.probabilities);
  const votes = model.votes === null ? probabilities : mixed(leaves, model.votes);
  let best = 0, leaf = -1, most = -1;
  for (let c = 1; c < C; c++) if (votes[c] - votes[best] > model.tie_tolerance) best = c;
  for (const [node, share] of leaves) if (share > most) [leaf, most] = [node, share];
  return { probabilities, best, leaf, leaves, shares };
}

function mixed(leaves, rows) {
  const sums = new Array(C).fill(0);
  for (const [node, share] of leaves) row(rows, node).forEach((p, c) => { sums[c] += share * p; });
  const total = sums.reduce((all, p) => all + p, 0);
  return sums.map((p) => p / total);
}

function pathTo(node) {
  const path = [];
  for (; node >= 0; node = parentOf[node]) path.unshift(node);
  return path;
}

/* What each node on the way counts in the average that ends with the last one; together 1. */
function pathShares(path) {
  const shares = [];
  let rest = 1;
  if (model.weighing === "path") {
    for (let i = path.length - 1; i >= 0; i--) {
      shares[i] = rest * model.weights[path[i]];
      rest *= 1 - model.weights[path[i]];
    }
  } else {
    path.forEach((node, i) => {
      shares[i] = i === path.length - 1 ? rest : rest * model.weights[node];
      rest *= 1 - model.weights[node];
    });
  }
  return shares;
}

/* What leads to a node, in words. */
function condition(node) {
  const above = parentOf[node];
  if (above < 0) return "all cases";
  const a = model.attribute[above], { name, values, cuts } = model.attributes[a], branch = node - model.first[above];
  if (model.test[above] === THRESHOLD) {
    const soft = model.bounds === null ? "" : ` [${figure(model.bounds[0][above])}, ${figure(model.bounds[1][above])}]`;
    return `${name} ${branch === 0 ? "≤" : ">"} ${figure(model.threshold[above])}${soft}`;
  }
  let taken = [branch];
  if (model.test[above] === GROUPS) taken = model.groups[above].flatMap((b, v) => (b === branch ? [v] : []));
  if (cuts !== null && cuts.length > 0 && taken.length === 1) {
    const bin = taken[0];
    if (bin === 0) return `${name} ≤ ${figure(cuts[0])}`;
    if (bin === cuts.length) return `${name} > ${figure(cuts[bin - 1])}`;
    return `${figure(cuts[bin - 1])} < ${name} ≤ ${figure(cuts[bin])}`;
  }
  if (taken.length === 1) return `${name} = ${values[taken[0]]}`;
  return `${name} in {${taken.map((v) => values[v]).join(", ")}}`;
}

/* Six digits, as in the text of a tree. */
function figure(number) {
  return String(Number(number.toPrecision(6)));
}

const WHOLE = new Intl.NumberFormat("en");
const TENTHS = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function count(number) {
  return (Number.isInteger(number) ? WHOLE : TENTHS).format(number);
}

function chance(p) {
  return p > 0 && p < 0.0005 ? "<0.001" : p.toFixed(3);
}

function percent(share) {
  return share > 0 && share < 0.0005 ? "<0.1 %" : `${(100 * share).toFixed(1)} %`;
}

function plural(n, noun) {
  const many = noun === "leaf" ? "leaves" : noun === "match" ? "matches" : `${noun}s`;
  return `${WHOLE.format(n)} ${n === 1 ? noun : many}`;
}
