/* Signs in, with a password or at the provider. */

import { call, go } from "./api.js";
import { byId } from "./dom.js";
import { onSubmit, report } from "./form.js";

const FAILED = "The sign-in did not work. Try again, or ask an administrator.";
const REASONS = {
  SIGN_IN: "Sign in to see your account.",
  BEGIN_AGAIN: "That took too long, or went on in another window. Begin again.",
  GAVE_UP: "The sign-in was given up at the provider. Begin again if that was not meant.",
  NO_EMAIL: "The provider tells no e-mail address, which an account here needs. Allow it there, then try again.",
  EMAIL_NOT_VERIFIED: "The provider has not verified your e-mail address. Verify it there, then try again.",
  EMAIL_TAKEN: "There is an account with your e-mail address. Sign in with its password, then link the provider there.",
  BY_INVITATION: "There is no account for you here yet. Ask an administrator for an invitation.",
  BEING_REMOVED: "This account is being removed. Nobody can sign in to it.",
  ALREADY_THERE: "This identity belongs to another account. Sign in with it to get there, or unlink it there first.",
  NOT_ALLOWED: "That was refused. Use the https address of this site, and end in the browser where you began.",
  NOT_FOUND: "Sign-in with a provider is not set up here. Use your password.",
  UNAVAILABLE: "The provider cannot be reached. Try again in a minute, or use your password.",
  TOO_MANY_TRIES: "That went wrong too often. Wait a minute, then try again.",
};

const failure = new URLSearchParams(location.search).get("error");
if (failure !== null) {
  const place = byId("came-back");
  place.textContent = Object.hasOwn(REASONS, failure) ? REASONS[failure] : FAILED;
  place.classList.toggle("error", failure !== "SIGN_IN");
  place.hidden = false;
}

onSubmit(byId("form"), async (values) => {
  await call("POST", "/api/session", values);
  return go("/account");
});

report(document.querySelector("main"), async () => {
  const { provider, registration, setup } = await call("GET", "/api/about");
  byId("provider").textContent = `Sign in with ${provider}`;
  byId("provider").hidden = !provider;
  byId(registration === "open" ? "open" : "closed").hidden = false;
  byId("no-administrator").hidden = !setup;
});
