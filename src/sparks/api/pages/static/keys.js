/* One's API keys. */

import { call } from "./api.js";
import { ask } from "./ask.js";
import { shownOnce } from "./copy.js";
import { button, byId, fill, row, when } from "./dom.js";
import { attempt, onSubmit, tell } from "./form.js";
import { inDays } from "./words.js";

const TEN_MINUTES = 10 * 60 * 1000;
const section = byId("keys");

export function start() {
  const form = byId("key-form");
  onSubmit(form, async ({ name, days }) => {
    const scopes = new FormData(form).getAll("scopes");
    const made = await call("POST", "/api/me/keys", { name, scopes, expiresAt: days && inDays(days) });
    form.reset();
    tell(section);
    showOnce(made);
    await showKeys();
  });
  return showKeys;
}

function showOnce({ name, key, scopes }) {
  const texts = [["The key", key]];
  if (scopes.includes("read")) {
    const command = `curl -H "Authorization: Bearer ${key}" ${location.origin}/api/me/limit`;
    texts.push(["A command to try it with", command]);
  }
  const hint = "It is shown this once. Whoever has it can use it, so keep it safe.";
  const card = shownOnce(`Copy the key “${name}” now`, hint, texts);
  byId("new-key").replaceChildren(card);
  card.scrollIntoView({ block: "nearest" });
}

async function showKeys() {
  const { keys } = await call("GET", "/api/me/keys");
  fill(section.querySelector(".list"), keys.map(rowOf), "You have no keys yet.");
}

function rowOf({ id, name, scopes, createdAt, lastUsedAt, expiresAt }) {
  const facts = [
    scopes.join(", "),
    ["made ", when(createdAt)],
    lastUsedAt ? ["last used ", lastUsed(lastUsedAt)] : "never used",
    expiresAt ? ["expires ", when(expiresAt)] : "never expires",
  ];
  return row(name, facts, button("Revoke", "quiet", (press) => attempt(press, section, () => revoke(id, name))));
}

/** The server notes a use every ten minutes. */
function lastUsed(time) {
  return Date.now() - Date.parse(time) < TEN_MINUTES ? "in the last minutes" : when(time);
}

async function revoke(id, name) {
  const text = "Whatever uses this key stops working at once. This cannot be undone.";
  if (!(await ask({ title: `Revoke the key “${name}”?`, text, yes: "Revoke" }))) return;
  await call("DELETE", `/api/me/keys/${id}`);
  byId("new-key").replaceChildren();
  await showKeys();
  return `the key “${name}” is revoked`;
}
