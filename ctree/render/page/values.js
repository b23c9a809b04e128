"use strict";

/* Values of attributes as numbers and as words. An ordered value is its place in the order, a date the number of days
   since 1970-01-01, a time that of microseconds since midnight, a timestamp that of microseconds since then. */

const DAY = 86400000, NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const DATE = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})$/, TIME = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?$/;
const MOMENTS = { date: "2024-03-31", time: "13:45:00", timestamp: "2024-03-31 13:45:00" };

/* The values to choose from; null where a number or a date is given. */
function choicesOf(attribute) {
  return attribute.kind === "discrete" ? attribute.values : attribute.kind === "ordered" ? attribute.order : null;
}

/* A number as text: of ordered values and dates the last one that is not above it. */
function shownNumber(attribute, number) {
  const whole = Math.floor(number);
  if (attribute.kind === "ordered") return attribute.order[whole] ?? figure(number);
  if (attribute.kind === "date") return dateText(whole * DAY) ?? figure(number);
  if (attribute.kind === "time") return timeText(whole);
  if (attribute.kind !== "timestamp") return figure(number);
  const day = Math.floor(whole / (1000 * DAY));
  const date = dateText(day * DAY);
  return date === null ? figure(number) : `${date} ${timeText(whole - day * 1000 * DAY)}`;
}

function dateText(milliseconds) {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
}

function timeText(microseconds) {
  const two = (number) => String(number).padStart(2, "0");
  const seconds = Math.floor(microseconds / 1e6), rest = microseconds - seconds * 1e6;
  const text = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(":");
  return rest === 0 ? text : `${text}.${String(rest).padStart(6, "0")}`;
}

/* The number that a text stands for; null if it is none. */
function numberOf(attribute, text) {
  if (attribute.kind === "date") return daysOf(text);
  if (attribute.kind === "time") return microsecondsOf(text);
  if (attribute.kind === "timestamp") {
    const [date, time, ...more] = text.split(/[T ]+/), days = daysOf(date);
    const of = time === undefined ? 0 : microsecondsOf(time);
    return days === null || of === null || more.length > 0 ? null : days * 1000 * DAY + of;
  }
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

function daysOf(text) {
  const found = DATE.exec(text);
  if (found === null) return null;
  const [year, month, day] = [found[1], found[3], found[4]].map(Number), date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year > 0 ? date.getTime() / DAY : null;
}

function microsecondsOf(text) {
  const found = TIME.exec(text);
  if (found === null) return null;
  const [hour, minute, second] = [found[1], found[2], found[3] ?? 0].map(Number);
  if (hour > 23 || minute > 59 || second > 59) return null;
  return ((hour * 60 + minute) * 60 + second) * 1e6 + Number((found[4] ?? "").padEnd(6, "0").slice(0, 6));
}

/* What stands in a field for a value. */
function fieldText(attribute, value) {
  return attribute.kind in MOMENTS ? shownNumber(attribute, value) : value;
}
