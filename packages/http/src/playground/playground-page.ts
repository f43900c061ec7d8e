import { escaped } from "./escaped.ts";
import type { DemoAccess } from "./playground.ts";

export interface PlaygroundPageParts {
  /** Name of the service. */
  readonly name: string;
  readonly version: string;
  readonly alias: string;
  readonly demo: DemoAccess | null;
}

/** The page at `/docs`. Its addresses are relative, so that it works below any prefix. */
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
<script src="docs/playground.js" defer></script>
</head>
<body>
<header>
<h1>${escaped(name)} API <small>${escaped(version)}</small></h1>
<p>All requests to ${database}, to read about and to try out. <strong>Log in first</strong>: from then on each request carries the app
key and the session, and the description has the classes that you may read. What is tried out here is really done.</p>
<p class="aside">The description itself: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). Encrypted log-ins and secure sessions need a client program.</p>
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

function demoTable({ appKey, appNames, users }: DemoAccess): string {
  const rows = users.map(
    ({ name, password, may }) =>
      `<tr><td><code>${escaped(name)}</code></td><td><code>${escaped(password)}</code></td><td>${escaped(may)}</td>` +
      `<td><button type="button" data-user="${escaped(name)}" data-pass="${escaped(password)}">Log in</button></td></tr>`,
  );
  return `<details id="demo" open>
<summary>This is the demo</summary>
<p>Its app key is <code>${escaped(appKey)}</code>, its app names are ${appNames.map((name) => `<code>${escaped(name)}</code>`).join(", ")}. Everybody knows its users:</p>
<table><thead><tr><th>User</th><th>Password</th><th>Rights</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>
</details>`;
}
