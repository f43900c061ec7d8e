/** Public credentials of the demo. */
export interface DemoAccess {
  readonly appKey: string;
  readonly appNames: readonly string[];
  readonly users: readonly { readonly name: string; readonly password: string; readonly may: string }[];
}

/** Port: deployment data for the page at `/docs`. */
export interface Playground {
  /** The demo in the database with this alias; `null` if the database is not a demo. */
  demo(alias: string): DemoAccess | null;
}

export interface PlaygroundPageParts {
  /** Name of the service. */
  readonly name: string;
  readonly version: string;
  readonly alias: string;
  readonly demo: DemoAccess | null;
}

/** The page at `/docs`. Its URLs are relative, so it works below any prefix. */
export function playgroundPage({ name, version, alias, demo }: PlaygroundPageParts): string {
  const database = alias === "" ? "this database" : `the database <strong>${escaped(alias)}</strong>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)} API${alias === "" ? "" : ` · ${escaped(alias)}`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/playground.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/own-example.js" defer></script>
<script src="docs/playground.js" defer></script>
</head>
<body>
<header>
<h1>${escaped(name)} API <small>${escaped(version)}</small></h1>
<p>All requests to ${database}. <strong>Log in first.</strong> Then each request has the app key and the session, and the description
includes the classes that you can read. Requests from this page change the database.</p>
<p class="aside">API description: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). Encrypted log-ins and secure sessions require a client program.</p>
</header>
<main>
<section id="access" aria-label="Log-in">
<form id="log-in" autocomplete="off">
<label>App key <input name="appKey" required spellcheck="false" value="${escaped(demo?.appKey ?? "")}"></label>
<label>User <input name="user" required spellcheck="false" value="${escaped(demo?.users[0]?.name ?? "")}"></label>
<label>Password <input name="pass" required type="password" autocomplete="current-password" value="${escaped(demo?.users[0]?.password ?? "")}"></label>
<label>App names <input name="appNames" required spellcheck="false" value="${escaped(demo?.appNames[0] ?? "")}"></label>
<label>Session by <select name="path"><option value="v1/login">session id</option><option value="v2/login">token (JWT)</option></select></label>
<button type="submit">Log in</button>
</form>
<p id="session" hidden><span></span> <button type="button">Log out</button></p>
<p id="news" role="status"></p>
${demo === null ? "" : demoTable(demo)}
</section>
<div id="description"><p class="loading">Loading the description …</p></div>
<noscript><p>This page needs JavaScript. The description is at <a href="openapi.json">openapi.json</a>.</p></noscript>
</main>
</body>
</html>
`;
}

/** Table cells of a demo user. */
function cellsOf({ name, password, may }: DemoAccess["users"][number]): string {
  return `<td><code>${escaped(name)}</code></td><td><code>${escaped(password)}</code></td><td>${escaped(may)}</td>`;
}

function demoTable({ appKey, appNames, users }: DemoAccess): string {
  const rows = users.map((user) => {
    const button = `<button type="button" data-user="${escaped(user.name)}" data-pass="${escaped(user.password)}">Log in</button>`;
    return `<tr>${cellsOf(user)}<td>${button}</td></tr>`;
  });
  return `<details id="demo" open>
<summary>This is the demo</summary>
<p>App key: <code>${escaped(appKey)}</code>. App names: ${appNames.map((name) => `<code>${escaped(name)}</code>`).join(", ")}. These users have public passwords:</p>
<table><thead><tr><th>User</th><th>Password</th><th>Rights</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>
<p><a href="docs/offline">Customers, offline</a> is a sample page that works without the server.</p>
</details>`;
}

/** The page at `/` for browsers. Its URLs are relative. */
export function startPage({ name, version, demo }: Omit<PlaygroundPageParts, "alias">): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/start.css">
</head>
<body>
<main>
<h1>${escaped(name)} <small>${escaped(version)}</small></h1>
<p>An HTTP service for client applications. They log in as a database user and read and write business objects.</p>
<ul>
<li><a href="docs"><strong>API documentation</strong></a>: read about the requests and try them out.</li>
<li><a href="openapi.json">openapi.json</a>: the API description for tools and generators.</li>
<li><a href="_CheckService">Service check</a>: name and version of the service.</li>
<li><a href="/healthz">Health check</a> of the process.</li>
</ul>
${demo === null ? "" : demoSection(demo)}
</main>
</body>
</html>
`;
}

function demoSection({ appKey, appNames, users }: DemoAccess): string {
  const rows = users.map((user) => `<tr>${cellsOf(user)}</tr>`);
  const body = JSON.stringify({ user: users[0]?.name, pass: users[0]?.password, appNames: appNames.slice(0, 1) });
  return `<h2>This is the demo</h2>
<p>Log in with the app key <code>${escaped(appKey)}</code> and one of these users, here or in the <a href="docs">documentation</a>:</p>
<pre><code>POST v1/login
appkey: ${escaped(appKey)}
Content-Type: application/json

${escaped(body)}</code></pre>
<div class="wide"><table><thead><tr><th>User</th><th>Password</th><th>Rights</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
<p>Send <code>data.sessionId</code> of the response in the header <code>sessionId</code> of every request, such as <code>GET v1/objects/Customer</code>.</p>
<p><a href="docs/offline"><strong>Customers, offline</strong></a>: a sample page that works without the server.</p>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
