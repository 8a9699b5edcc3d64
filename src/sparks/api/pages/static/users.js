/* The accounts, for administrators. */

import { call } from "./api.js";
import { button, byId, el, row, when } from "./dom.js";
import { attempt, tell } from "./form.js";
import { openUser, startUser } from "./user.js";
import { roleName } from "./words.js";

const section = byId("users");
const list = section.querySelector(".list");
const more = section.querySelector(".more");

let me;
let cursor;

export function start(context) {
  me = context.me;
  more.addEventListener("click", () => attempt(more, section, showMore));
  startUser({ me, done: showAgain });
  return showUsers;
}

async function showUsers() {
  list.replaceChildren();
  cursor = undefined;
  await showMore();
}

async function showMore() {
  const behind = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const { users, lastEvaluatedKey } = await call("GET", `/api/users?limit=50${behind}`);
  list.append(...users.map(rowOf));
  cursor = lastEvaluatedKey;
  more.hidden = cursor === undefined;
}

async function showAgain(news) {
  await showUsers();
  tell(section, news);
}

function rowOf({ email, username, role, createdAt }) {
  const title = email === me.email ? [username, el("span", { class: "tag" }, "you")] : username;
  const facts = [email, roleName(role), createdAt && ["joined ", when(createdAt)]];
  const change = button("Change", "quiet", () => attempt(change, section, () => openUser(email)));
  change.setAttribute("aria-label", `Change ${email}`);
  return row(title, facts, change);
}
