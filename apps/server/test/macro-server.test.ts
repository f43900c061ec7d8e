import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Storage } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { call, callIn } from "./client.ts";
import { startDemoServer } from "./demo-server.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { openSession } from "./open-session.ts";
import { readingGate } from "./reading-gate.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

let directory: string;
let server: RunningServer;
let session: Session;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sallyport-macros-"));
});

afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  server = await startDemoServer("memory", { ...macroEnvironment, ...environment });
  session = await openSession(server, "session", "demo");
}

const execute = (name: string, input: unknown = {}) => callIn(server, session, `/v1/execute/${name}`, { method: "POST", body: input as object });
const storage = () => (server.databases.get("") as { readonly storage: Storage }).storage;
const write = (file: string, result: string) =>
  writeFileSync(join(directory, file), `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: () => ${JSON.stringify(result)} });`);
const create = async () => (await callIn(server, session, "/v1/object/Customer", { method: "POST", body: { Name: "Ada" } })).body.data["~ObjectID"] as string;

/** Asks until it is so, as long as a test may take. */
async function eventually(ask: () => Promise<unknown>, expected: unknown): Promise<void> {
  for (;;) {
    const answer = await ask();
    if (JSON.stringify(answer) === JSON.stringify(expected)) return;
    await delay(50);
  }
}

test("a folder that is watched is read anew when something in it changes", async () => {
  await start({ MACROS_DIR: directory, MACROS_WATCH: "true" });
  const outcome = (name: string) => async () => {
    const { code, body } = await execute(name);
    return [code, body.data];
  };
  expect(await outcome("First")()).toEqual(["710", undefined]);
  write("First.js", "one");
  await eventually(outcome("First"), ["0", "one"]);
  write("First.js", "another one");
  write("Second.ts", "two");
  await eventually(outcome("Second"), ["0", "two"]);
  expect(await outcome("First")()).toEqual(["0", "another one"]);
  rmSync(join(directory, "First.js"));
  await eventually(outcome("First"), ["710", undefined]);
  expect(await outcome("Second")()).toEqual(["0", "two"]);
}, 60_000);

test("a folder that is not watched is read anew when the server is told to", async () => {
  write("Same.js", "before");
  await start({ MACROS_DIR: directory });
  expect((await execute("Same")).body.data).toBe("before");
  write("Same.js", "after");
  expect((await execute("Same")).body.data).toBe("before");
  server.readMacros();
  expect((await execute("Same")).body.data).toBe("after");
  write("Same.ts", "in another language");
  server.readMacros();
  expect(await execute("Same")).toMatchObject({ status: 500, code: "710" });
});

test("a server that is told to stop finishes what macros have begun", async () => {
  await start({});
  const id = await create();
  const gate = readingGate(storage().repositories, id);
  const running = execute("Steps", { steps: [["get", id], ["create", "Customer", { Name: "afterwards" }]] });
  await gate.reached;
  const closing = server.close();
  gate.open();
  expect(await running).toMatchObject({ status: 200, code: "0" });
  await closing;
});

test("executions that find no thread in time, and those that are too many, are answered 706", async () => {
  await start({ MACRO_THREADS: "1", MACRO_QUEUE: "1", MACRO_PATIENCE: "100ms" });
  const id = await create();
  const gate = readingGate(storage().repositories, id);
  const running = execute("Steps", { steps: [["get", id]] });
  await gate.reached;
  const others = await Promise.all([execute("Echo", 1), execute("Echo", 2)]);
  expect(others).toMatchObject([{ status: 503, code: "706", headers: { "retry-after": "1" } }, { status: 503, code: "706" }]);
  gate.open();
  expect((await running).code).toBe("0");
  expect((await execute("Echo", 3)).body.data).toBe(3);
});

test("what macros do is counted", async () => {
  await start({});
  await execute("Echo", 1);
  await execute("Closed");
  await execute("Throwing");
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const code of [0, 401, 710]) expect(metrics).toContain(`sallyport_macro_executions_total{code="${code}"} 1`);
  expect(metrics).toMatch(/^sallyport_macro_duration_seconds_count 3$/m);
  expect(metrics).toMatch(/^sallyport_macro_threads_busy 0$/m);
  expect(metrics).toMatch(/^sallyport_macros_waiting 0$/m);
  expect(await call(server, "/_CheckService")).toMatchObject({ code: "0" });
});
