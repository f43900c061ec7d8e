import { escaped } from "./escaped.ts";
import type { DemoAccess } from "./playground.ts";

export interface StartPageParts {
  /** Name of the service. */
  readonly name: string;
  readonly version: string;
  readonly demo: DemoAccess | null;
}

/** The page at `/` for browsers: what the service is, and where to go on. Its addresses are relative. */
export function startPage({ name, version, demo }: StartPageParts): string {
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
<p>This is an HTTP service for client applications: they log in as a database user and read and write business objects.</p>
<ul>
<li><a href="docs"><strong>API documentation</strong></a>: read about each request and try it out.</li>
<li><a href="openapi.json">openapi.json</a>: the description of the API for tools and generators.</li>
<li><a href="_CheckService">Service check</a>: name and version, as a client gets them.</li>
<li><a href="/healthz">Health check</a> of the process.</li>
</ul>
${demo === null ? "" : demoSection(demo)}
</main>
</body>
</html>
`;
}

function demoSection({ appKey, appNames, users }: DemoAccess): string {
  const rows = users.map(
    ({ name, password, may }) =>
      `<tr><td><code>${escaped(name)}</code></td><td><code>${escaped(password)}</code></td><td>${escaped(may)}</td></tr>`,
  );
  const body = JSON.stringify({ user: users[0]?.name, pass: users[0]?.password, appNames: appNames.slice(0, 1) });
  return `<h2>This is the demo</h2>
<p>Log in with the app key <code>${escaped(appKey)}</code> and one of these users, here or in the <a href="docs">documentation</a>:</p>
<pre><code>POST v1/login
appkey: ${escaped(appKey)}
Content-Type: application/json

${escaped(body)}</code></pre>
<div class="wide"><table><thead><tr><th>User</th><th>Password</th><th>Rights</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
<p>Send <code>data.sessionId</code> of the answer as the header <code>sessionId</code> with every further request, such as <code>GET v1/objects/Customer</code>.</p>`;
}
