/* Questions before what cannot be undone. */

import { byId } from "./dom.js";

/** Whether they mean it. With a `word`, they have to type it. */
export function ask({ title, text, yes, word = "" }) {
  const [dialog, form] = [byId("ask"), byId("ask-form")];
  const fits = () => form.elements.typed.value.trim().toLowerCase() === word.toLowerCase();
  form.reset();
  byId("ask-title").textContent = title;
  byId("ask-text").textContent = text;
  byId("ask-word").textContent = word;
  byId("ask-typed").hidden = !word;
  byId("ask-yes").textContent = yes;
  byId("ask-yes").disabled = !fits();
  form.elements.typed.oninput = () => (byId("ask-yes").disabled = !fits());
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

for (const press of document.querySelectorAll("[data-closes]")) {
  press.addEventListener("click", () => press.closest("dialog").close());
}
