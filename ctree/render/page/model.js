"use strict";

/* A tree and what follows from it: nothing here knows of the page, so that there can be several. */

function treeOf(model) {
  const N = model.first.length, C = model.classes.length;
  const parentOf = new Int32Array(N).fill(-1), depthOf = new Int32Array(N), leavesBelow = new Int32Array(N);
  const there = new Uint8Array(N); // whether the tree, as it is pruned, has the node
  let stop = 0; // the one of the nested prunings that is looked at: 0 is the whole tree
  for (let node = 0; node < N; node++) {
    for (let below = model.first[node]; below < model.first[node] + model.branches[node]; below++) {
      parentOf[below] = node;
      depthOf[below] = depthOf[node] + 1;
    }
  }
  const deepest = depthOf.reduce((most, depth) => Math.max(most, depth), 0);
  pruneTo(0);

  /* A node that asks nothing: by itself, or because the tree is pruned there. */
  function isLeaf(node) {
    return model.branches[node] === 0 || (stop > 0 && model.prunings.from[node] <= stop);
  }

  function branchesOf(node) {
    if (isLeaf(node)) return [];
    return Array.from({ length: model.branches[node] }, (_, b) => model.first[node] + b);
  }

  /* The branches in the order of the rows: as their leaves are numbered. */
  function shownOf(node) {
    return branchesOf(node).sort((a, b) => model.numbers[a] - model.numbers[b]);
  }

  /* What a leaf is called; a leaf that pruning made has no number. */
  function leafName(node) {
    return model.branches[node] === 0 ? `leaf ${model.numbers[node]}` : "leaf";
  }

  function isThere(node) {
    return there[node] === 1;
  }

  /* Look at another of the nested prunings. */
  function pruneTo(next) {
    stop = next;
    for (let node = 0; node < N; node++) {
      there[node] = node === 0 || (there[parentOf[node]] === 1 && !isLeaf(parentOf[node])) ? 1 : 0;
    }
    leavesBelow.fill(0);
    for (let node = N - 1; node >= 0; node--) {
      if (isLeaf(node)) leavesBelow[node] = 1;
      if (node > 0) leavesBelow[parentOf[node]] += leavesBelow[node];
    }
  }

  /* A row of numbers, one per class: the number that most of it is, then places and numbers of the others. */
  function row(rows, node) {
    const [usual, ...others] = rows[node];
    const result = new Array(C).fill(usual);
    for (let i = 0; i < others.length; i += 2) result[others[i]] = others[i + 1];
    return result;
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

  return {
    model, N, C, parentOf, depthOf, leavesBelow, deepest, isLeaf, isThere, branchesOf, shownOf, leafName, row, pathTo,
    pathShares, pruneTo,
  };
}

function modelOfPage() {
  return JSON.parse(document.getElementById("model").textContent);
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
  const many = noun.endsWith("leaf") ? "leaves" : /(ch|ss)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${WHOLE.format(n)} ${n === 1 ? noun : many}`;
}
