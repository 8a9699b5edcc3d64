/* The audit trail, for administrators: a month at a time, newest first. */

import { call } from "./api.js";
import { byId, el, fill, row } from "./dom.js";
import { attempt } from "./form.js";
import { count, moment, roleName, size } from "./words.js";

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
const WHO = { unknown: "Somebody", "command line": "The command line" };
const section = byId("audit");
const list = section.querySelector(".list");
const more = section.querySelector(".more");

/** What an entry says behind the one who did it. */
const DEEDS = {
  "set-up": () => "set up Sparks",
  "signed-in": ({ address }) => `signed in${from(address)}`,
  "sign-in-failed": ({ address }, target) => `failed to sign in${target ? ` as ${target}` : ""}${from(address)}`,
  "signed-out": () => "signed out",
  "session-ended": () => "signed another browser out",
  "sessions-ended": () => "signed all other browsers out",
  "user-made": ({ role }, target) => `made the account ${target} (${roleName(role)})`,
  "user-removed": (_, target) => `removed the account ${target}`,
  "role-changed": ({ role, before }, target) =>
    `changed the role of ${target} from ${roleName(before)} to ${roleName(role)}`,
  "limit-changed": (details, target) => `changed what ${target} may still upload${amounts(details)}`,
  "password-changed": () => "changed the password",
  "password-reset": (_, target) => `set a new password for ${target}`,
  "key-made": ({ name }) => `made the API key “${name}”`,
  "key-revoked": () => "revoked an API key",
  "invitation-made": ({ role, uses }) =>
    `made an invitation (${roleName(role)}, ${uses ? `for ${uses}` : "for as many as like"})`,
  "invitation-revoked": () => "revoked an invitation",
  "identity-linked": ({ issuer }) => `linked an identity of ${issuer}`,
  "identity-unlinked": ({ issuer }) => `unlinked an identity of ${issuer}`,
  "person-claimed": () => "said who they are in the photos",
  "claim-confirmed": (_, target) => `confirmed who ${target} is in the photos`,
  "claim-refused": (_, target) => `did not confirm who ${target} is in the photos`,
  "face-forgotten": ({ keep }, target) =>
    `had the face of ${target} forgotten, ${keep === "vector" ? "not to be recognised again" : "with nothing kept"}`,
  "faces-switched": ({ allowed }, target) => `switched faces ${allowed ? "on" : "off"} for ${target}`,
  "jobs-retried": ({ count }) => `sent ${letters(count)} again`,
  "jobs-dropped": ({ count }) => `dropped ${letters(count)}`,
  "link-made": () => "made a share link",
  "link-revoked": () => "revoked a share link",
};

const letters = (count) => (count === 1 ? "a job that had failed" : `${count} jobs that had failed`);

let month = new Date().toISOString().slice(0, 7);
let cursor;

export function start() {
  const on = (press, work) => press.addEventListener("click", () => attempt(press, section, work));
  on(byId("month-before"), () => showMonth(-1));
  on(byId("month-after"), () => showMonth(1));
  on(more, showMore);
  return () => showMonth(0);
}

async function showMonth(further) {
  month = monthAfter(month, further);
  byId("month").textContent = MONTH.format(new Date(`${month}-01`));
  byId("month-after").hidden = month >= new Date().toISOString().slice(0, 7);
  fill(list, [], "Nothing happened in this month.");
  cursor = undefined;
  await showMore();
}

async function showMore() {
  const behind = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const { entries, lastEvaluatedKey } = await call("GET", `/api/admin/audit?limit=50&month=${month}${behind}`);
  if (entries.length) list.querySelector(".none")?.remove();
  list.append(...entries.map(rowOf));
  cursor = lastEvaluatedKey;
  more.hidden = cursor === undefined;
}

function rowOf({ doneAt, who, action, target, details = {} }) {
  const did = Object.hasOwn(DEEDS, action) ? DEEDS[action](details, target) : `${action} ${target ?? ""}`;
  const subject = Object.hasOwn(WHO, who) ? WHO[who] : who;
  return row([el("b", {}, subject), ` ${did}`], [el("time", { datetime: doneAt }, moment(doneAt))]);
}

function monthAfter(from, further) {
  const date = new Date(`${from}-01`);
  date.setUTCMonth(date.getUTCMonth() + further);
  return date.toISOString().slice(0, 7);
}

function from(address) {
  return address ? ` from ${address}` : "";
}

function amounts({ limit, bytesLeft }) {
  const parts = [limit !== undefined && count(limit, "photo"), bytesLeft !== undefined && size(bytesLeft)];
  return `: ${parts.filter(Boolean).join(", ")}`;
}
