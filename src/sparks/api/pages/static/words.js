/* Numbers, sizes and times as people say them. */

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];
const SPANS = [
  ["year", 365.25 * 24 * 60 * 60],
  ["month", 30.4375 * 24 * 60 * 60],
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
];

/** As a sentence, whatever it was written as. */
export function sentence(text) {
  return text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

export function number(value) {
  return NUMBER.format(value);
}

export function count(many, thing) {
  return `${number(many)} ${thing}${many === 1 ? "" : "s"}`;
}

export function size(bytes) {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${number(value)} ${UNITS[unit]}`;
}

export function day(time) {
  return DAY.format(new Date(time));
}

export function moment(time) {
  return MOMENT.format(new Date(time));
}

/** "3 days ago", "in 2 months". */
export function distance(time) {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  const span = SPANS.find(([, length]) => Math.abs(seconds) >= length);
  return span ? AGO.format(Math.round(seconds / span[1]), span[0]) : "just now";
}

/** The time so many days from now, as the API takes it. */
export function inDays(days) {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();
}

export function roleName(role) {
  return role === "admin" ? "administrator" : role;
}
