/* Forms and buttons: off while their work is done, and how it went is told beside them. */

import { Refusal } from "./api.js";
import { sentence } from "./words.js";

const OUR_FAULT = "something went wrong in this page: reload it, and try again";

/** Says it at the place of the form or section that is meant for it; saying nothing takes back what was said. */
export function tell(place, text = "", kind = "done") {
  const region = place.querySelector(":scope > .told");
  region.textContent = sentence(text);
  region.className = text ? `told ${kind}` : "told";
}

/** Does the work. What it returns is told, and so is why it was refused. */
export async function report(place, work) {
  tell(place);
  try {
    tell(place, (await work()) ?? "");
  } catch (error) {
    tell(place, error instanceof Refusal ? error.message : OUR_FAULT, "error");
    if (!(error instanceof Refusal)) throw error;
  }
}

/** As `report`, with the button off meanwhile. */
export async function attempt(button, place, work) {
  const focused = document.activeElement === button;
  button.disabled = true;
  try {
    await report(place, work);
  } finally {
    button.disabled = false;
    if (focused) keepFocus(button, place);
  }
}

/** A button that is off, or gone, has lost the focus: whoever uses the keyboard would begin at the top again. */
function keepFocus(button, place) {
  const focused = document.activeElement;
  if (focused !== document.body && focused.checkVisibility()) return;
  (button.isConnected ? button : place.querySelector("h1"))?.focus();
}

/** `work` gets what was filled in: trimmed, but for passwords, and without what was left empty. */
export function onSubmit(form, work) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(event.submitter ?? form.querySelector("[type=submit]"), form, () => work(valuesOf(form)));
  });
}

function valuesOf(form) {
  const values = {};
  for (const [name, text] of new FormData(form)) {
    const value = /password/i.test(name) ? text : text.trim();
    if (value) values[name] = value;
  }
  return values;
}

for (const box of document.querySelectorAll("[data-shows]")) {
  const show = (shown) => {
    for (const name of box.dataset.shows.split(" ")) box.form.elements[name].type = shown ? "text" : "password";
  };
  box.addEventListener("change", () => show(box.checked));
  box.form.addEventListener("reset", () => show(false));
}

// The browser may bring a page back as it was when it was left: signed in, and with its buttons off.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
