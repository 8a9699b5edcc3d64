/* Invitations, for administrators. */

import { call } from "./api.js";
import { ask } from "./ask.js";
import { shownOnce } from "./copy.js";
import { button, byId, fill, row, when } from "./dom.js";
import { attempt, onSubmit, tell } from "./form.js";
import { count, inDays, number, roleName } from "./words.js";

const section = byId("invitations");

export function start() {
  const form = byId("invitation-form");
  onSubmit(form, async ({ note, role, limit, uses, days }) => {
    const wish = { note, role, uses: Number(uses), limit: limit && Number(limit), expiresAt: inDays(days) };
    const made = await call("POST", "/api/invitations", wish);
    form.reset();
    tell(section);
    showOnce(made);
    await showInvitations();
  });
  return showInvitations;
}

function showOnce({ note, url }) {
  const title = note ? `Send this link to ${note}` : "Send this link on";
  const hint = "It is shown this once. Whoever has it can make an account with it.";
  const card = shownOnce(title, hint, [["The link", url]]);
  byId("new-invitation").replaceChildren(card);
  card.scrollIntoView({ block: "nearest" });
}

async function showInvitations() {
  const { invitations } = await call("GET", "/api/invitations");
  fill(section.querySelector(".list"), invitations.map(rowOf), "No invitation is open.");
}

function rowOf(invitation) {
  const { id, role, note, limit, usesLeft, createdBy, createdAt, expiresAt } = invitation;
  const facts = [
    roleName(role),
    limit !== undefined && count(limit, "photo"),
    uses(usesLeft),
    [`made by ${createdBy} `, when(createdAt)],
    expiresAt && ["expires ", when(expiresAt)],
  ];
  const title = note ?? "An invitation";
  return row(title, facts, button("Revoke", "quiet", (press) => attempt(press, section, () => revoke(id, title))));
}

function uses(left) {
  if (left === undefined) return "for as many as like";
  return left === 1 ? "for one person" : `for ${number(left)} people`;
}

async function revoke(id, title) {
  const text = "Nobody can make an account with its link from then on. Accounts that were made with it stay.";
  if (!(await ask({ title: `Revoke “${title}”?`, text, yes: "Revoke" }))) return;
  await call("DELETE", `/api/invitations/${id}`);
  byId("new-invitation").replaceChildren();
  await showInvitations();
  return "the invitation is revoked";
}
