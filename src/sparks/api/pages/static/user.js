/* The dialog in which an administrator changes one account, or removes it. */

import { call, go } from "./api.js";
import { ask } from "./ask.js";
import { byId } from "./dom.js";
import { attempt, onSubmit, tell } from "./form.js";
import { count, size } from "./words.js";

const GIGABYTE = 1e9;
const dialog = byId("user");
const form = byId("user-form");

let opened; // as administrators see the account, with what may still be uploaded

/** `done` is told what has happened, when it has. */
export function startUser({ me, done }) {
  onSubmit(form, async (values) => {
    await call("PATCH", `/api/users/${encodeURIComponent(opened.email)}`, changesIn(values));
    dialog.close();
    await done(`changed ${opened.email}`);
  });
  byId("remove-user").addEventListener("click", () =>
    attempt(byId("remove-user"), form, async () => {
      if (!(await ask(removalOf(opened)))) return;
      await call("DELETE", `/api/users/${encodeURIComponent(opened.email)}`);
      if (opened.email === me.email) return go("/signin");
      dialog.close();
      await done(`removed ${opened.email}; what they own goes in the background`);
    }),
  );
}

export async function openUser(email) {
  opened = await call("GET", `/api/users/${encodeURIComponent(email)}`);
  const { limit, used, bytesLeft, bytesUsed } = opened.uploadLimit;
  form.reset();
  tell(form);
  byId("user-name").textContent = opened.username;
  byId("user-email").textContent = opened.email;
  form.elements.role.value = opened.role;
  form.elements.limit.value = limit;
  form.elements.gigabytes.value = bytesLeft === undefined ? "" : bytesLeft / GIGABYTE;
  const has = used === undefined ? "" : `They have ${count(used, "photo")}, ${size(bytesUsed ?? 0)}. `;
  byId("user-used").textContent = `${has}A new password signs them out.`;
  dialog.showModal();
}

/** Only what was changed: an upload in the meantime must not be counted away. */
function changesIn({ role, limit, gigabytes, password }) {
  const bytesLeft = gigabytes === undefined ? undefined : Math.round(gigabytes * GIGABYTE);
  const { uploadLimit } = opened;
  return {
    role: role === opened.role ? undefined : role,
    limit: Number(limit) === uploadLimit.limit ? undefined : Number(limit),
    bytesLeft: bytesLeft === uploadLimit.bytesLeft ? undefined : bytesLeft,
    password,
  };
}

function removalOf({ email, username, uploadLimit }) {
  const photos = uploadLimit.used ? `, their ${count(uploadLimit.used, "photo")} too` : "";
  return {
    title: `Remove ${username}?`,
    text: `They are signed out at once, and all that is theirs goes${photos}. This cannot be undone.`,
    yes: "Remove",
    word: email,
  };
}
