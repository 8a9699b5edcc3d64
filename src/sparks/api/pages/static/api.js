/* Calls of the API. */

/** Why a call was refused, in words for people. */
export class Refusal extends Error {}

const UNREACHABLE = "Sparks cannot be reached: check that you are online and that it runs, then try again";
const SIGN_IN = "/signin?error=SIGN_IN";

/** What the API answers, or null where that is nothing. Whoever is not signed in any more goes to the sign-in page. */
export async function call(method, path, body) {
  const answer = await send(method, path, body);
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  if (answer.status === 401 && location.pathname !== "/signin") return go(SIGN_IN);
  throw new Refusal(await reasonOf(answer));
}

/** Leaves this page for good: whoever waits for this never comes to do anything else. */
export function go(address) {
  location.replace(address);
  return new Promise(() => {});
}

async function send(method, path, body) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-Sparks-CSRF"] = "1";
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(path, { method, headers, body: JSON.stringify(body) });
  } catch {
    throw new Refusal(UNREACHABLE);
  }
}

/** Whatever stands between here and Sparks may answer in its own way. */
async function reasonOf(answer) {
  try {
    const { message } = await answer.json();
    if (message) return message;
  } catch {
    // not JSON: told by its status
  }
  return `Sparks did not answer as it should (status ${answer.status}): try again in a minute`;
}
