/* Elements. What somebody wrote goes in as text, so that none of it becomes markup. */

import { distance, moment } from "./words.js";

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Shows what the page kept hidden until it was sure; whoever types begins there. */
export function show(element) {
  element.hidden = false;
  element.querySelector("input")?.focus();
}

export function button(text, kind, onClick) {
  const made = el("button", { type: "button", class: kind }, text);
  made.addEventListener("click", () => onClick(made));
  return made;
}

/** How far away a time is; the time itself shows under the pointer. */
export function when(time) {
  return el("time", { datetime: time, title: moment(time) }, distance(time));
}

/** A line of a list: what it is, what is known of it, and what can be done with it. */
export function row(title, facts, ...buttons) {
  const known = el("p", { class: "facts" });
  for (const fact of facts.filter(Boolean)) known.append(known.hasChildNodes() ? " · " : "", ...[fact].flat());
  return el("li", {}, el("div", { class: "what" }, el("p", { class: "title" }, ...[title].flat()), known), ...buttons);
}

/** Puts the rows into the list, or says that there are none. */
export function fill(list, rows, none) {
  list.replaceChildren(...(rows.length ? rows : [el("li", { class: "none" }, none)]));
}
