/* Makes an account for somebody who was invited, or for anyone where registration is open. */

import { call, go } from "./api.js";
import { byId, show } from "./dom.js";
import { onSubmit, report } from "./form.js";
import { takeSecret } from "./secret.js";

const invitation = takeSecret();

onSubmit(byId("form"), async (values) => {
  await call("POST", "/api/register", { ...values, invitation });
  return go("/account");
});

report(document.querySelector("main"), async () => {
  const { registration } = await call("GET", "/api/about");
  show(byId(invitation || registration === "open" ? "form" : "no-token"));
});
