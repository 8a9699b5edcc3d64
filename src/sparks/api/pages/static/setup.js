/* Makes the first administrator. */

import { call, go } from "./api.js";
import { byId, show } from "./dom.js";
import { onSubmit, report } from "./form.js";
import { takeSecret } from "./secret.js";

const token = takeSecret();
byId("link-begins").textContent = `${location.origin}/setup#`;

onSubmit(byId("form"), async (values) => {
  await call("POST", "/api/setup", { ...values, token });
  return go("/account#invitations");
});

report(document.querySelector("main"), async () => {
  const { setup } = await call("GET", "/api/about");
  show(byId(!setup ? "done" : token ? "form" : "no-token"));
});
