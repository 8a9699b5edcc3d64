/* One's account: one section at a time, the one that the address names behind its #. */

import { call, go } from "./api.js";
import * as audit from "./audit.js";
import { byId } from "./dom.js";
import { attempt, report, tell } from "./form.js";
import * as invitations from "./invitations.js";
import * as keys from "./keys.js";
import * as profile from "./profile.js";
import * as sessions from "./sessions.js";
import * as users from "./users.js";

const OWN = { profile, sessions, keys };
const ADMINISTRATION = { invitations, users, audit };
const main = document.querySelector("main");

const sections = {}; // by its name, what fills a section anew

report(main, async () => {
  const [me, about] = await Promise.all([call("GET", "/api/me/profile"), call("GET", "/api/about")]);
  const isAdministrator = me.role === "admin";
  for (const element of document.querySelectorAll("[data-admin]")) element.hidden = !isAdministrator;
  const modules = isAdministrator ? { ...OWN, ...ADMINISTRATION } : OWN;
  for (const [name, module] of Object.entries(modules)) sections[name] = module.start({ me, about, greet });
  greet(me);
  const asked = location.hash.slice(1);
  turnTo(Object.hasOwn(sections, asked) ? asked : "profile");
});

addEventListener("hashchange", () => turnTo(location.hash.slice(1), { focus: true }));

byId("sign-out").addEventListener("click", () =>
  attempt(byId("sign-out"), main, async () => {
    const { logoutUrl } = await call("DELETE", "/api/session");
    return go(logoutUrl ?? "/signin");
  }),
);

function greet({ username, email }) {
  byId("who").textContent = username;
  byId("who").title = email;
}

function turnTo(name, { focus = false } = {}) {
  if (!Object.hasOwn(sections, name)) return;
  for (const link of document.querySelectorAll(".places a")) {
    const isHere = link.hash === `#${name}`;
    link.setAttribute("aria-current", isHere ? "page" : "false");
    if (isHere) link.scrollIntoView({ block: "nearest", inline: "center" });
  }
  for (const section of main.querySelectorAll("section")) section.hidden = section.id !== name;
  const section = byId(name);
  document.title = `${section.querySelector("h1").textContent} · Sparks`;
  scrollTo(0, 0);
  for (const form of section.querySelectorAll("form")) tell(form);
  if (focus) section.querySelector("h1").focus();
  report(section, sections[name]);
}
