/* The page at /docs: shows the description, logs in, and gives every request that is tried out its credentials. */
"use strict";

const form = document.getElementById("log-in");
const news = document.getElementById("news");
const demo = document.getElementById("demo");
const sessionLine = document.getElementById("session");

/** Names of the security schemes in the description. */
const schemes = { "v1/login": "sessionId", "v2/login": "token" };

/** `{ appKey, path, credential, user }` while somebody is logged in. It is kept in this page only, and gone with it. */
let session = null;
let ui = null;
/** The description that Swagger UI shows. */
let described = null;
/** The schemes that Swagger UI has a value for. */
let authorized = [];
/** The app key that the last log-in was tried out with. */
let triedAppKey = "";

function tell(text, isFault = false) {
  news.textContent = text;
  news.classList.toggle("fault", isFault);
}

/** The headers that belong to the session. */
function credentials() {
  if (session === null) return {};
  const { appKey, path, credential } = session;
  return path === "v1/login"
    ? { appkey: appKey, sessionId: credential }
    : { appkey: appKey, Authorization: `Bearer ${credential}` };
}

/** Sends a request; returns the data of its envelope. Shows a failure and returns `null`. */
async function ask(path, options) {
  try {
    const answer = await (await fetch(path, { cache: "no-store", ...options })).json();
    const { internalStatus, statusMessage } = answer.status ?? { internalStatus: "0" };
    if (internalStatus === "0") return answer;
    tell(`${statusMessage} (${internalStatus}).`, true);
  } catch {
    tell("The server does not respond.", true);
  }
  return null;
}

/** Folds the codes of failures: an operation can have twenty of them. */
function fold(responses = {}) {
  for (const response of Object.values(responses)) {
    const codes = Array.from(response.description.matchAll(/^- `(\d+)`/gm), ([, code]) => code);
    if (codes.length === 0) continue;
    response.description = `<details><summary>${codes.join(", ")}</summary>\n\n${response.description}\n\n</details>`;
  }
}

/** Makes the description fit for a first try: where the server is, and what opens it. */
function prepared(description) {
  const { user, pass, appNames } = form.elements;
  description.servers = [{ url: new URL(".", location.href).href.replace(/\/$/, "") }];
  const example = {
    user: user.value || "alice",
    pass: pass.value || "secret",
    appNames: appNames.value.split(/\s*,\s*/),
  };
  for (const methods of Object.values(description.paths))
    for (const operation of Object.values(methods)) fold(operation.responses);
  for (const path of Object.keys(schemes)) {
    const body = description.paths[`/${path}`]?.post?.requestBody?.content["application/json"];
    if (body !== undefined) body.example = example;
  }
  return description;
}

async function describe() {
  const description = await ask("openapi.json", { headers: credentials() });
  if (description === null) {
    if (ui === null) document.getElementById("description").textContent = "";
    return;
  }
  const spec = prepared(description);
  described = spec;
  if (ui !== null) {
    ui.specActions.updateSpec(JSON.stringify(spec));
    return authorize();
  }
  ui = SwaggerUIBundle({
    spec,
    domNode: document.getElementById("description"),
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: "list",
    filter: false,
    tryItOutEnabled: true,
    validatorUrl: null,
    requestInterceptor: notice,
    responseInterceptor: learn,
    onComplete: authorize,
    plugins: [ownExample(() => described)],
  });
}

/** Has the credentials sent with every request that takes them. */
function authorize() {
  if (ui === null) return;
  if (authorized.length > 0) ui.authActions.logout(authorized);
  const appKey = session?.appKey ?? form.elements.appKey.value;
  const values = { appKey, ...(session === null ? {} : { [schemes[session.path]]: session.credential }) };
  authorized = Object.keys(values).filter((name) => values[name] !== "");
  for (const name of authorized) ui.preauthorizeApiKey(name, values[name]);
}

/** The path of a request below the address of the database. */
function pathOf(url) {
  const base = new URL(".", location.href).href;
  const { href, search } = new URL(url, location.href);
  return href.startsWith(base) ? href.slice(base.length, href.length - search.length) : "";
}

function notice(request) {
  if (Object.hasOwn(schemes, pathOf(request.url))) {
    const name = Object.keys(request.headers).find((each) => each.toLowerCase() === "appkey");
    triedAppKey = name === undefined ? "" : request.headers[name];
  }
  return request;
}

/** Whoever logs in or out by trying it out is logged in or out on this page, too. */
function learn(response) {
  const path = pathOf(response.url);
  const code = response.body?.status?.internalStatus;
  if (code === "0" && Object.hasOwn(schemes, path)) enter(path, triedAppKey, response.body.data);
  else if (code === "0" && path === "v1/logout") leave("Logged out.");
  else if (session !== null && (code === "201" || code === "203")) leave("The session has ended. Log in again.");
  return response;
}

function showForm(shown) {
  form.hidden = !shown;
  sessionLine.hidden = shown;
  if (demo !== null) demo.hidden = !shown;
}

function enter(path, appKey, { user, databaseName, sessionId, token }) {
  session = { appKey, path, credential: path === "v1/login" ? sessionId : token, user: user.Name };
  showForm(false);
  sessionLine.firstElementChild.textContent = `Logged in to ${databaseName} as ${user.Name} with a ${path === "v1/login" ? "session id" : "token"}.`;
  tell("");
  return describe();
}

function leave(reason) {
  session = null;
  showForm(true);
  tell(reason);
  return describe();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { appKey, user, pass, appNames, path } = form.elements;
  const body = JSON.stringify({
    user: user.value,
    pass: pass.value,
    appNames: appNames.value.split(",").map((name) => name.trim()),
  });
  const answer = await ask(path.value, {
    method: "POST",
    headers: { "Content-Type": "application/json", appkey: appKey.value },
    body,
  });
  if (answer !== null) await enter(path.value, appKey.value, answer.data);
});

sessionLine.querySelector("button").addEventListener("click", async () => {
  await ask("v1/logout", { method: "POST", headers: credentials() });
  await leave("Logged out.");
});

for (const button of document.querySelectorAll("button[data-user]")) {
  button.addEventListener("click", () => {
    form.elements.user.value = button.dataset.user;
    form.elements.pass.value = button.dataset.pass;
    form.requestSubmit();
  });
}

void describe();
