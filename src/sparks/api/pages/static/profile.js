/* One's name, limit and password, and the provider that one signs in with. */

import { call, go } from "./api.js";
import { button, byId, el, fill, row } from "./dom.js";
import { attempt, onSubmit } from "./form.js";
import { day, number, roleName, size } from "./words.js";

export function start({ me, about, greet }) {
  const [nameForm, passwordForm] = [byId("name-form"), byId("password-form")];
  nameForm.elements.username.value = me.username;
  byId("known").textContent = `${me.email}, ${roleName(me.role)}${me.createdAt ? ` since ${day(me.createdAt)}` : ""}`;
  passwordForm.elements.email.defaultValue = me.email;
  byId("old-hint").hidden = !about.provider;

  onSubmit(nameForm, async ({ username }) => {
    const renamed = await call("PATCH", "/api/me/profile", { username });
    greet(renamed);
    return `you are ${renamed.username} now`;
  });
  onSubmit(passwordForm, async ({ oldPassword, newPassword }) => {
    await call("PUT", "/api/me/password", { oldPassword, newPassword });
    passwordForm.reset();
    return "the password is changed, and all other browsers are signed out";
  });

  byId("provider").hidden = !about.provider;
  byId("provider-name").textContent = `Sign-in with ${about.provider}`;
  byId("link").addEventListener("click", () => attempt(byId("link"), byId("provider"), linkIdentity));

  return async () => {
    showLimit(await call("GET", "/api/me/limit"));
    if (about.provider) await showIdentities();
  };
}

function showLimit({ limit, used, bytesLeft, bytesUsed }) {
  const parts = [meter("Photos", limit, used, number)];
  if (bytesLeft !== undefined) parts.push(meter("Storage", bytesLeft, bytesUsed, size));
  if (limit === 0 || bytesLeft === 0) parts.push(el("p", { class: "hint" }, "Ask an administrator for more."));
  byId("limit").replaceChildren(...parts);
}

/** What is left of something; how much there was in all is not known of every account. */
function meter(thing, left, used, say) {
  if (used === undefined) return el("p", {}, `${thing} left: ${say(left)}`);
  const whole = left + used;
  const bar = el(
    "div",
    { class: "bar", role: "meter", "aria-label": `${thing} used`, "aria-valuemax": whole, "aria-valuenow": used },
    el("i"),
  );
  bar.firstChild.style.width = `${whole ? (100 * used) / whole : 100}%`;
  const unit = thing === "Photos" ? " photos" : "";
  return el("div", {}, el("p", {}, el("b", {}, say(left)), ` of ${say(whole)}${unit} left`), bar);
}

async function showIdentities() {
  const { identities } = await call("GET", "/api/me/identities");
  const rows = identities.map(({ id, issuer, current }) =>
    row(
      issuer,
      [current ? "you can sign in with it" : "of a provider that is not in use here any more"],
      button("Unlink", "quiet", (press) => attempt(press, byId("provider"), () => unlinkIdentity(id))),
    ),
  );
  fill(byId("identities"), rows, "None is linked yet.");
}

async function unlinkIdentity(id) {
  await call("DELETE", `/api/me/identities/${id}`);
  await showIdentities();
  return "it is unlinked";
}

async function linkIdentity() {
  const { url } = await call("POST", "/api/me/identities", { next: "/account" });
  return go(url);
}
