/* The browsers in which one is signed in. */

import { call } from "./api.js";
import { button, byId, el, fill, row, when } from "./dom.js";
import { attempt } from "./form.js";
import { count } from "./words.js";

const HOUR = 60 * 60 * 1000;
const BROWSERS = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|Chromium|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "Mac"],
  [/CrOS/, "Chromebook"],
  [/Linux/, "Linux"],
];
const section = byId("sessions");

export function start() {
  byId("end-others").addEventListener("click", () => attempt(byId("end-others"), section, endOthers));
  return showSessions;
}

async function showSessions() {
  const { sessions } = await call("GET", "/api/me/sessions");
  const here = sessions.filter(({ current }) => current);
  const others = sessions.filter(({ current }) => !current);
  fill(section.querySelector(".list"), [...here, ...others].map(rowOf), "You are signed in nowhere.");
  byId("end-others").hidden = !others.length;
}

function rowOf({ sessionId, device, createdAt, lastUsedAt, expiresAt, current }) {
  const name = el("span", { title: device ?? "" }, deviceName(device));
  const facts = [
    ["signed in ", when(createdAt)],
    !current && lastUsedAt && ["last used ", lastUsed(lastUsedAt)],
    ["ends ", when(expiresAt), " if it is not used"],
  ];
  if (current) return row([name, el("span", { class: "tag" }, "this browser")], facts);
  return row(name, facts, button("Sign out", "quiet", (press) => attempt(press, section, () => end(sessionId))));
}

/** The server notes a use once an hour. */
function lastUsed(time) {
  return Date.now() - Date.parse(time) < HOUR ? "within the last hour" : when(time);
}

/** "Firefox on Linux", from what the browser calls itself; that may be anything. */
function deviceName(device) {
  const named = (names) => names.find(([pattern]) => pattern.test(device))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  return browser && system ? `${browser} on ${system}` : (device ?? "An unknown browser");
}

async function end(sessionId) {
  await call("DELETE", `/api/me/sessions/${sessionId}`);
  await showSessions();
  return "that browser is signed out";
}

async function endOthers() {
  const { ended } = await call("DELETE", "/api/me/sessions");
  await showSessions();
  return `${count(ended, "other browser")} signed out`;
}
