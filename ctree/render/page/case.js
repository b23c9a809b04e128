"use strict";

/* Trees of attributes: tests in words, and a form for a case, which goes down the tree. */

const NOUN = "case";
const THRESHOLD = 1, GROUPS = 3; // 0 is a leaf, 2 a branch per value
const forOutside = { classify };

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

const asked = [...new Set(model.attribute)].filter((a) => a >= 0).sort((a, b) => a - b);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function makeSide() {
  const fields = $("fields");
  for (const a of asked) {
    const attribute = model.attributes[a], label = element("label", "", attribute.name), id = `a${a}`;
    const discrete = attribute.kind === "discrete";
    let unknown = "unknown";
    if (attribute.fill !== null) {
      unknown += `: as ${discrete ? attribute.values[attribute.fill] : figure(attribute.fill)}`;
    }
    let field;
    if (discrete) {
      field = element("select");
      field.append(new Option(unknown, ""), ...attribute.values.map((value, code) => new Option(value, code)));
    } else {
      field = element("input");
      Object.assign(field, { type: "text", inputMode: "decimal", placeholder: unknown });
    }
    field.id = label.htmlFor = id;
    fields.append(label, field);
  }
  const rest = model.attributes.length - asked.length;
  const fills = asked.some((a) => model.attributes[a].fill !== null);
  let how = "With unknown values a case goes down every branch, in parts.";
  if (fills) how = "What is left unknown is taken as given there.";
  if (rest > 0) how += ` ${plural(rest, "attribute")} more ${rest === 1 ? "is" : "are"} not asked for.`;
  $("how").textContent = asked.length === 0 ? "The tree asks for nothing." : how;
  $("case").addEventListener("input", readCase);
  $("case").addEventListener("submit", (event) => event.preventDefault());
  $("case").addEventListener("reset", () => setTimeout(() => { readForm(); setAnswer(null); }));
  $("result").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) select(Number(button.dataset.node));
  });
}

/* The values in the form, null for unknown; or null if one of them is wrong, which is then said. */
function readForm() {
  const values = new Array(model.attributes.length).fill(null);
  let wrong = false;
  for (const a of asked) {
    const field = $(`a${a}`), text = field.value.trim();
    const isNumber = NUMBER.test(text) && Number.isFinite(Number(text));
    const good = text === "" || text === "?" || isNumber || model.attributes[a].kind === "discrete";
    $(`w${a}`)?.remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    if (good) {
      if (text !== "" && text !== "?") values[a] = Number(text);
      continue;
    }
    wrong = true;
    const message = element("span", "wrong", "Give a number, or nothing if it is unknown.");
    message.id = `w${a}`;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", message.id);
    field.after(message);
  }
  return wrong ? null : values;
}

function readCase() {
  const values = readForm();
  setAnswer(values === null ? null : classify(values));
}

/* The leaves that a case comes to. */
function showDetails(panel) {
  const ways = [...answer.leaves].sort((a, b) => b[1] - a[1]);
  const list = element("ul", "ways");
  for (const [node, share] of ways.slice(0, 8)) {
    const words = element("span", "", ...classOf(node), `: ${clipped(condition(node))}`);
    const button = element("button", "", element("span", "number", percent(share)), words);
    button.type = "button";
    button.dataset.node = node;
    list.append(element("li", "", button));
  }
  const title = ways.length === 1 ? "The leaf it ends in" : `Its shares in ${plural(ways.length, "leaf")}`;
  panel.append(element("h3", "", title), list);
  if (ways.length > 8) panel.append(element("p", "hint", `and ${ways.length - 8} more`));
}
