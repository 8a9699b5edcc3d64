/* What is shown once, with buttons that copy it. */

import { button, el } from "./dom.js";

/** `texts` are pairs of what a text is for and the text itself. */
export function shownOnce(title, hint, texts) {
  return el(
    "div",
    { class: "card" },
    el("h2", {}, title),
    el("p", {}, hint),
    ...texts.flatMap(([label, text]) => copied(label, text)),
  );
}

function copied(label, text) {
  const shown = el("code", { class: "secret" }, text);
  const say = (word) => {
    press.textContent = word;
    press.setAttribute("aria-label", `${word} ${label.toLowerCase()}`);
  };
  const press = button("", "ghost small", async () => say((await copy(shown)) ? "Copied" : "Press Ctrl+C to copy"));
  say("Copy");
  return [el("p", { class: "label" }, label), el("div", { class: "copied" }, shown, press)];
}

/** Whether it could. Over plain http browsers have no clipboard to write to, but what is selected can be copied. */
async function copy(shown) {
  try {
    await navigator.clipboard.writeText(shown.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(shown);
    return document.execCommand("copy");
  }
}
