/**
 * Counts the source files and functions of the product that run for a request.
 *
 *     DATABASE_URL=postgres://postgres@127.0.0.1/empty node .ci/paths.mjs [folder of a built clone] [--list]
 *
 * The server runs in this process, on an empty database, which gets the demo; by default on the embedded engine. After
 * ten equal requests, V8 counts the calls of functions during each of thirty. Only functions that ran in all of them
 * count, so that work between requests does not. `--list` prints them with their fewest calls; each resumption of an asynchronous function is one.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const given = process.argv.slice(2);
const root = resolve(given.find((each) => !each.startsWith("-")) ?? join(import.meta.dirname, ".."));
const [warmUps, rounds] = [10, 30];

/** Built files have the names of their sources. The server imports no other file of the client than its error codes. */
const product = new RegExp(
  `^${pathToFileURL(root).href}/(packages/(?!testing|test-kit)[\\w-]+|apps/server)/dist/(.+)\\.js$`,
);

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Calls since the last look, by function: its file, its place there, its name. */
async function callsSince() {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const calls = new Map();
  for (const { url, functions } of result) {
    const [, folder, file] = product.exec(url) ?? [];
    if (folder === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      if (count > 0) calls.set(`${folder}/src/${file}.ts ${functionName || "(anonymous)"} @${startOffset}`, count);
    }
  }
  return calls;
}

/** The calls of functions that run in each round of a request. */
async function callsOf(send) {
  for (let sent = 0; sent < warmUps; sent += 1) await send();
  let common = null;
  for (let round = 0; round < rounds; round += 1) {
    await callsSince();
    await send();
    // What follows the response, such as its log line, belongs to the request.
    for (let turns = 0; turns < 10; turns += 1) await turn();
    const calls = await callsSince();
    const least = (key) => Math.min(common?.get(key) ?? Infinity, calls.get(key));
    const kept = [...calls.keys()].filter((key) => common?.has(key) ?? true);
    common = new Map(kept.map((key) => [key, least(key)]));
  }
  return common;
}

const { startServer, loadConfiguration } = await import(pathToFileURL(join(root, "apps/server/dist/index.js")).href);
const directory = mkdtempSync(join(tmpdir(), "sallyport-paths-"));
const { DATABASE_URL = "" } = process.env;
const environment = {
  PORT: "0",
  LOG_LEVEL: "silent",
  // Work between requests would have the time to run beside each of them.
  ARGON2_MEMORY_COST: "8",
  ARGON2_TIME_COST: "1",
  DATA_DIR: directory,
  FILES_DIRECTORY: join(directory, "files"),
  ...(DATABASE_URL === "" ? {} : { DATABASE_URL }),
};
const server = await startServer(loadConfiguration({ environment }));
try {
  const call = async (method, path, { appKey = "demo-app-key", sessionId, body } = {}) => {
    const headers = { appKey, ...(sessionId && { sessionId }), ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) });
    const { status, data } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${JSON.stringify(status)}`);
    return data;
  };
  const credentials = (name) => ({ user: name, pass: name, appNames: ["demo-app"] });
  const appKey = server.demoAdministrationKeys.get("");
  const administration = { appKey };
  ({ sessionId: administration.sessionId } = await call("POST", "/admin/v1/login", {
    appKey,
    body: credentials("admin"),
  }));
  const { sessionId } = await call("POST", "/v1/login", { body: credentials("demo") });
  await call("PUT", "/admin/v1/sync/schemas/paths", {
    ...administration,
    body: { classes: [{ className: "Customer" }] },
  });
  const { items } = await call("GET", "/admin/v1/users", administration);
  const { userId } = items.find(({ name }) => name === "reader");
  const query = encodeURIComponent(JSON.stringify({ where: { Country: "Austria" }, sort: ["-Since"] }));
  const operation = () => {
    const fields = { Name: "New", Country: "Austria" };
    return { id: randomUUID(), op: "put", uuid: randomUUID(), syncVersion: "0", className: "Customer", fields };
  };
  const requests = {
    "log-in": () => call("POST", "/v1/login", { body: credentials("demo") }),
    list: () => call("GET", `/v1/objects/Customer?perPage=20&query=${query}`, { sessionId }),
    push: () => call("POST", "/v1/sync/paths/push", { sessionId, body: { syncVersion: "0", ops: [operation()] } }),
    ban: () => call("POST", "/admin/v1/bans", { ...administration, body: { userId, reason: randomUUID() } }),
  };
  for (const [name, send] of Object.entries(requests)) {
    const calls = await callsOf(send);
    const files = new Set(Array.from(calls.keys(), (key) => key.split(" ")[0]));
    console.log(`${name}: ${files.size} files, ${calls.size} functions`);
    if (!given.includes("--list")) continue;
    for (const [key, count] of [...calls].toSorted(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${count} × ${key}`);
  }
} finally {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
}
