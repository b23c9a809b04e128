"use strict";

/* Parts of pages: elements, colours, bars and tables. All texts are set as text, never as HTML. */

const WIDEST = 70;
const TELLABLE = 10; // classes whose colours can be told apart
const NARROW = matchMedia("(max-width: 36rem)"); // as in the style

const $ = (id) => document.getElementById(id);

function element(tag, classes, ...content) {
  const result = document.createElement(tag);
  if (classes) result.className = classes;
  result.append(...content);
  return result;
}

function button(classes, ...content) {
  const result = element("button", classes, ...content);
  result.type = "button";
  return result;
}

function clipped(text) {
  return text.length <= WIDEST ? text : `${text.slice(0, WIDEST - 1)}…`;
}

/* A name that may be broken where its words end, as in brown-stem-rot. */
function breakable(name) {
  if (name.length < 9) return [name];
  const result = [];
  let start = 0;
  for (const { index } of name.matchAll(/[-_./&:,;)\]](?=[^-_./&:,;)\]])|\p{Ll}(?=\p{Lu})/gu)) {
    const end = index + String.fromCodePoint(name.codePointAt(index)).length;
    result.push(name.slice(start, end), document.createElement("wbr"));
    start = end;
  }
  return [...result, name.slice(start)];
}

function dot(colour) {
  const result = element("span", "dot");
  result.style.background = colour;
  return result;
}

/* A class with its colour. */
function classWords(tree, c) {
  return [dot(tree.model.colours[c]), element("span", "name", ...breakable(tree.model.classes[c]))];
}

/* The probabilities of all classes. One element for all of them: a page of many rows opens several times as fast. */
function bar(tree, probabilities, labelled = false) {
  const { colours, classes } = tree.model, result = element("span", "bar"), parts = [];
  result.setAttribute("aria-hidden", "true");
  let end = 0;
  probabilities.forEach((p, c) => {
    const start = end;
    end += 100 * p;
    if (p >= 0.002) parts.push(`${colours[c]} ${start.toFixed(2)}% ${end.toFixed(2)}%`);
    if (labelled && classes.length > TELLABLE) result.append(...barLabel(classes[c], colours[c], start, p));
  });
  if (end < 99.9) parts.push(`transparent ${end.toFixed(2)}%`);
  result.style.backgroundImage = `linear-gradient(to right, ${parts.join(", ")})`;
  return result;
}

/* Which class a part of a bar is, where it has room to be told. */
function barLabel(name, colour, start, p) {
  const letters = Math.floor(((NARROW.matches ? 57 : 144) * p - 5) / 6);
  if (letters < Math.min(name.length, 4)) return [];
  const label = element("span", "bar-label", name.length <= letters ? name : `${name.slice(0, letters - 1)}…`);
  label.style.left = `${start.toFixed(2)}%`;
  label.style.color = isLight(colour) ? "#000" : "#fff";
  return [label];
}

function isLight(colour) {
  const [red, green, blue] = [1, 3, 5].map((i) => (parseInt(colour.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

/* A few classes in their own order; of many the most probable, and the others. */
function leading(probabilities, most) {
  const order = probabilities.map((_, c) => c).sort((a, b) => probabilities[b] - probabilities[a] || a - b);
  if (order.length <= most + 1) return [order.sort((a, b) => a - b), []];
  const shown = Math.max(1, Math.min(most, order.filter((c) => probabilities[c] > 0).length));
  return [order.slice(0, shown), order.slice(shown)];
}

function tableRow(tag, ...cells) {
  return element("tr", "", ...cells.map(([content, classes, title]) => {
    const cell = element(tag, classes, content);
    if (title) cell.title = title;
    return cell;
  }));
}

/* A table of classes with their probabilities, and with their counts if there are such. */
function classTable(tree, probabilities, most, counts = null) {
  const table = element("table"), [shown, others] = leading(probabilities, most);
  const cells = (of, name, title = "") => [
    [name, "name"], ...(counts === null ? [] : [[count(of(counts)), "number"]]), [chance(of(probabilities)), "number", title],
  ];
  for (const c of shown) {
    const only = probabilities.map((p, k) => (k === c ? p : 0));
    const words = element("span", "class-words", ...classWords(tree, c));
    const line = tableRow("td", ...cells((numbers) => numbers[c], words, String(probabilities[c])), [bar(tree, only), "bars"]);
    line.dataset.class = c;
    table.append(line);
  }
  const sum = (numbers) => others.reduce((all, c) => all + numbers[c], 0);
  if (others.length > 0) table.append(tableRow("td", ...cells(sum, `${others.length} others`), ["", ""]));
  return table;
}
