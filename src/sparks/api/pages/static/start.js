/* The front door: where somebody goes who is not signed in. */

import { call, go } from "./api.js";
import { report } from "./form.js";

report(document.querySelector("main"), async () => {
  const { setup } = await call("GET", "/api/about");
  return go(setup ? "/setup" : "/signin");
});
