import { escaped, type PlaygroundPageParts } from "./playground-pages.ts";

/** The page at `/docs/offline` of a demo. Its URLs are relative. */
export function offlinePage({ name, version, alias, demo }: PlaygroundPageParts): string {
  const users = demo?.users.map((user) => `<option value="${escaped(user.name)}">${escaped(user.may)}</option>`) ?? [];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Offline sample · ${escaped(name)}${alias === "" ? "" : ` · ${escaped(alias)}`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="offline.css">
<script src="offline.js" type="module"></script>
</head>
<body>
<header>
<h1>Customers, offline <small>sample of ${escaped(name)} ${escaped(version)}</small></h1>
<p>This browser keeps the customers and invoices of the schema <code>sales</code>. Stop the server or disconnect: everything
can be read and changed, also after a reload. The changes are sent when the server is back. <a href="../docs">API documentation</a></p>
<div id="bar">
<p id="status" role="status" data-state="none"><strong></strong> <span></span></p>
<div id="controls" hidden>
<label><input id="pause" type="checkbox"> Work offline</label>
<button id="log-out" type="button">Log out</button>
</div>
<form id="log-in" autocomplete="off">
<label>App key <input name="appKey" required spellcheck="false" value="${escaped(demo?.appKey ?? "")}"></label>
<label>User <input name="user" required spellcheck="false" list="users" value="${escaped(demo?.users[0]?.name ?? "")}"></label>
<datalist id="users">${users.join("")}</datalist>
<label>Password <input name="password" required type="password" autocomplete="current-password" value="${escaped(demo?.users[0]?.password ?? "")}"></label>
<button>Log in</button>
</form>
</div>
</header>
<section id="news" aria-label="What happened to your changes" hidden><ul></ul><button type="button">Dismiss</button></section>
<main hidden>
<section id="customers" aria-label="Customers">
<div class="tools"><input id="search" type="search" placeholder="Search customers" aria-label="Search customers"><button id="new-customer" type="button">New</button></div>
<ol></ol>
</section>
<section id="customer" aria-label="Customer"><p class="hint">Select a customer.</p></section>
</main>
<noscript><p>This page needs JavaScript.</p></noscript>
</body>
</html>
`;
}
