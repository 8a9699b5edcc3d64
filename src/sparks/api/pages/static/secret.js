/* The secret of the link that this page was opened by. */

/** Taken out of the address bar at once, where others could read it; a reload of the page still knows it. */
export function takeSecret() {
  addEventListener("hashchange", () => location.reload()); // another link was opened in this tab
  const secret = location.hash.slice(1) || history.state?.secret;
  if (secret) history.replaceState({ secret }, "", location.pathname);
  return secret;
}
