"use strict";

/* Cases in a tree of attributes: their way down, what conditions say, and what would have to change for another class.
   Nothing here knows of the page. Values are given per attribute: a code, a number as in values.js, or null for
   unknown. */

const THRESHOLD = 1, GROUPS = 3; // 0 is a leaf, 2 a branch per value

function casesOf(tree) {
  const { model, C, parentOf, isLeaf, branchesOf, row } = tree;
  const asked = [...new Set(model.attribute)].filter((a) => a >= 0).sort((a, b) => a - b);

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

  /* A case down the tree. Where a test cannot be answered, every branch gets its share of the case, as the training
     cases went; the order of sums is that of ctree. */
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
    let leaf = -1, most = -1;
    for (const [node, share] of leaves) if (share > most) [leaf, most] = [node, share];
    return { ...saidBy(leaves), leaf, leaves, shares };
  }

  /* The probabilities and the class of a case that is in these leaves. */
  function saidBy(leaves) {
    const probabilities = mixed(leaves, model.probabilities);
    const votes = model.votes === null ? probabilities : mixed(leaves, model.votes);
    let best = 0;
    for (let c = 1; c < C; c++) if (votes[c] - votes[best] > model.tie_tolerance) best = c;
    return { probabilities, best };
  }

  function mixed(leaves, rows) {
    const sums = new Array(C).fill(0);
    for (const [node, share] of leaves) row(rows, node).forEach((p, c) => { sums[c] += share * p; });
    const total = sums.reduce((all, p) => all + p, 0);
    return sums.map((p) => p / total);
  }

  /* What a branch requires of its attribute: bounds of a number, or the codes that it may have. */
  function limitOf(node) {
    const above = parentOf[node], a = model.attribute[above], branch = node - model.first[above];
    if (model.test[above] === THRESHOLD) {
      const cut = model.threshold[above];
      return branch === 0 ? { above: -Infinity, atMost: cut } : { above: cut, atMost: Infinity };
    }
    let codes = [branch];
    if (model.test[above] === GROUPS) codes = model.groups[above].flatMap((b, v) => (b === branch ? [v] : []));
    const { cuts } = model.attributes[a];
    if (cuts === null || cuts.length === 0 || codes.length === 0) return { codes };
    // In a tree of bins the codes of a group follow each other.
    return { above: cuts[codes[0] - 1] ?? -Infinity, atMost: cuts[codes.at(-1)] ?? Infinity };
  }

  function limitWords(a, limit, soft = "") {
    const { name, values } = model.attributes[a], shown = (number) => shownNumber(model.attributes[a], number);
    if (limit.codes?.length === 1) return `${name} = ${values[limit.codes[0]]}`;
    if (limit.codes) return `${name} in {${limit.codes.map((v) => values[v]).join(", ")}}`;
    if (limit.above === -Infinity) return `${name} ≤ ${shown(limit.atMost)}${soft}`;
    if (limit.atMost === Infinity) return `${name} > ${shown(limit.above)}${soft}`;
    return `${shown(limit.above)} < ${name} ≤ ${shown(limit.atMost)}`;
  }

  /* What leads to a node, in words. */
  function condition(node) {
    const above = parentOf[node];
    if (above < 0) return "all cases";
    const a = model.attribute[above], bounds = model.bounds?.map((of) => shownNumber(model.attributes[a], of[above]));
    return limitWords(a, limitOf(node), bounds ? ` [${bounds.join(", ")}]` : "");
  }

  /* The fewest attributes that would have to be others for the case to get another class, or this one.

     A way is a leaf with such a class. Its path requires one thing of each attribute that it asks for; an attribute
     changes if the case does not have that, or is not known. So the whole case ends in the leaf, and no fewer changes
     lead there. All ways with the fewest changes are told, those of most training cases first. */
  function changes(values, wanted = null) {
    const given = model.attributes.map((attribute, a) => values[a] ?? attribute.fill);
    const now = classify(values).best;
    let fewest = Infinity, ways = [];
    // a node with what its path requires of each attribute, and which of these change
    const waiting = wanted === now ? [] : [[0, new Map(), []]];
    while (waiting.length > 0) {
      const [node, limits, changed] = waiting.pop();
      if (changed.length > fewest) continue;
      if (isLeaf(node)) {
        const { best, probabilities } = saidBy([[node, 1]]);
        if (wanted === null ? best === now : best !== wanted) continue;
        if (changed.length < fewest) [fewest, ways] = [changed.length, []];
        const needed = [...changed].sort((a, b) => a - b).map((a) => ({ attribute: a, limit: limits.get(a) }));
        ways.push({ leaf: node, best, probabilities, changes: needed });
        continue;
      }
      const a = model.attribute[node];
      for (const below of branchesOf(node).reverse()) {
        const limit = both(limits.get(a), limitOf(below));
        if (limit === null) continue;
        const more = changed.includes(a) || meets(a, given[a], limit) ? changed : [...changed, a];
        waiting.push([below, new Map(limits).set(a, limit), more]);
      }
    }
    ways.sort((a, b) => model.cases[b.leaf] - model.cases[a.leaf] || a.leaf - b.leaf);
    return { now, fewest, ways };
  }

  function meets(a, value, limit) {
    if (value === null) return false;
    if (limit.codes) return limit.codes.includes(value);
    const number = asCompared(a, value);
    return limit.above < number && number <= limit.atMost;
  }

  /* A number as thresholds see it; bins have the number itself. */
  function asCompared(a, value) {
    return model.float32 && model.attributes[a].cuts === null ? Math.fround(value) : value;
  }

  /* A value that meets a limit: a short number near that of the case. */
  function valueWithin(a, limit, near) {
    if (limit.codes) return limit.codes[0];
    const down = Number.isFinite(limit.atMost) && (near === null || near > limit.atMost || limit.above === -Infinity);
    if (model.attributes[a].kind !== "continuous") return Math.floor(down ? limit.atMost : limit.above + 1); // all are whole
    for (let digits = 3; digits <= 17; digits++) {
      const value = down ? shortened(limit.atMost, digits, -1) : shortened(limit.above, digits, 1);
      if (meets(a, value, limit)) return value;
    }
    return limit.atMost;
  }

  return { asked, classify, condition, changes, limitWords, valueWithin };
}

/* One limit for two of the same attribute; null if nothing meets both. */
function both(first, second) {
  if (first === undefined) return second.codes?.length === 0 ? null : second;
  if (second.codes) {
    const codes = first.codes.filter((code) => second.codes.includes(code));
    return codes.length === 0 ? null : { codes };
  }
  const above = Math.max(first.above, second.above), atMost = Math.min(first.atMost, second.atMost);
  return above < atMost ? { above, atMost } : null;
}

/* The next number of so many digits, below or above; the number itself only below. */
function shortened(number, digits, direction) {
  if (number === 0) return direction < 0 ? 0 : 10 ** (1 - digits);
  const places = digits - 1 - Math.floor(Math.log10(Math.abs(number)));
  const scaled = Number(`${number}e${places}`.replace(/e(.*)e(.*)$/, (_, a, b) => `e${Number(a) + Number(b)}`));
  const rounded = direction < 0 ? Math.floor(scaled) : Math.floor(scaled) + 1;
  return Number(`${rounded}e${-places}`);
}
