"use strict";

/* A form for a case: a field for each attribute that is asked for. */

function makeFields(attributes, asked) {
  const fields = $("fields");
  for (const a of asked) {
    const attribute = attributes[a], label = element("label", "", ...breakable(attribute.name));
    const choices = choicesOf(attribute), moment = MOMENTS[attribute.kind];
    let unknown = "unknown";
    if (attribute.fill !== null) {
      unknown += `: as ${choices ? choices[attribute.fill] : shownNumber(attribute, attribute.fill)}`;
    }
    let field;
    if (choices) {
      field = element("select");
      field.append(new Option(unknown, ""), ...choices.map((value, code) => new Option(value, code)));
    } else {
      field = element("input");
      Object.assign(field, { type: "text", inputMode: moment ? "text" : "decimal", placeholder: unknown });
      if (moment) field.title = `such as ${moment}`;
    }
    field.id = label.htmlFor = `a${a}`;
    fields.append(label, field);
  }
}

/* How unknown values are taken, and what is not asked for. */
function formHint(attributes, asked) {
  if (asked.length === 0) return "The tree asks for nothing.";
  const rest = attributes.length - asked.length, fills = asked.some((a) => attributes[a].fill !== null);
  const how = fills
    ? "What is left unknown is taken as given there."
    : "With unknown values a case goes down every branch, in parts.";
  return rest === 0 ? how : `${how} ${plural(rest, "attribute")} more ${rest === 1 ? "is" : "are"} not asked for.`;
}

/* The values in the form, null for unknown; or null if one of them is wrong, which is then said. */
function readFields(attributes, asked) {
  const values = new Array(attributes.length).fill(null);
  let wrong = false;
  for (const a of asked) {
    const field = $(`a${a}`), text = field.value.trim();
    const unknown = text === "" || text === "?", number = unknown ? null : numberOf(attributes[a], text);
    $(`w${a}`)?.remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    if (unknown || number !== null) {
      values[a] = number;
      continue;
    }
    wrong = true;
    const moment = MOMENTS[attributes[a].kind], right = moment ? `a ${attributes[a].kind} such as ${moment}` : "a number";
    const message = element("span", "wrong", `Give ${right}, or nothing if it is unknown.`);
    message.id = `w${a}`;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", message.id);
    field.after(message);
  }
  return wrong ? null : values;
}

/* What would change the answer: a list of buttons, each of which sets its changes in the form. `set` takes pairs of an
   attribute and its new value. */
function changesPart(tree, cases, values, wanted, set) {
  const { fewest, ways } = cases.changes(values, wanted), part = element("div", "changes-found");
  const other = wanted === null ? "another class" : tree.model.classes[wanted];
  if (ways.length === 0) {
    part.append(element("p", "hint", `No change of the case gives ${other}.`));
    return part;
  }
  const first = fewest === 1 ? "One change gives" : `${fewest} changes, and no fewer, give`;
  part.append(element("p", "hint", `${first} ${other}${ways.length > 1 ? ", in one of these ways:" : ":"}`));
  const list = element("ul", "ways");
  for (const { best, probabilities, changes } of ways.slice(0, MOST_WAYS)) {
    const needed = changes.map(({ attribute, limit }) => clipped(cases.limitWords(attribute, limit))).join(" and ");
    const said = element("span", "said", ...classWords(tree, best), element("span", "number", chance(probabilities[best])));
    const way = button("", element("span", "needed", needed), said);
    way.title = "Change the case so";
    way.addEventListener("click", () => {
      set(changes.map(({ attribute, limit }) => [attribute, cases.valueWithin(attribute, limit, values[attribute])]));
    });
    list.append(element("li", "", way));
  }
  part.append(list);
  const more = ways.length - MOST_WAYS;
  if (more > 0) part.append(element("p", "hint", `and ${plural(more, "other way")} with as few changes`));
  return part;
}

const MOST_WAYS = 5;
