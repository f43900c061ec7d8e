import { MacroStore } from "@sallyport/core";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "@sallyport/storage";
import { Latch } from "@sallyport/testing/faults";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { call, callIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openSession } from "../open-session.ts";
import { readBarrier } from "../read-barrier.ts";
import { appKey } from "../subject.ts";
import { macroEnvironment } from "../macro-fixture.ts";
import { tuned } from "../test-environment.ts";

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

const execute = (name: string, input: unknown = {}) =>
  callIn(server, session, `/v1/execute/${name}`, { method: "POST", body: input as object });
const storage = () => (server.databases.get("") as { readonly storage: Storage }).storage;
const write = (file: string, result: string) =>
  writeFileSync(
    join(directory, file),
    `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: () => ${JSON.stringify(result)} });`,
  );
const create = async () =>
  (await callIn(server, session, "/v1/object/Customer", { method: "POST", body: { Name: "Ada" } })).body.data[
    "~ObjectID"
  ] as string;

/** Asks until this is the answer. */
async function eventually(ask: () => Promise<unknown>, expected: unknown): Promise<void> {
  await until(async () => JSON.stringify(await ask()) === JSON.stringify(expected), { interval: 50, seen: ask });
}

test("a watched folder is read again after a change", async () => {
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

test("an unwatched folder is read again on request", async () => {
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

test("a stopping server finishes running macros", async () => {
  await start({});
  const id = await create();
  const barrier = readBarrier(storage().repositories, id);
  const running = execute("Steps", {
    steps: [
      ["get", id],
      ["create", "Customer", { Name: "afterwards" }],
    ],
  });
  await barrier.reached;
  const closing = server.close();
  barrier.open();
  expect(await running).toMatchObject({ status: 200, code: "0" });
  await closing;
});

test("executions without a free thread in time, or beyond the queue, are answered 706", async () => {
  await start({ MACRO_THREADS: "1", ...tuned({ macros: { queue: { limit: 1, timeout: 100 } } }) });
  const id = await create();
  const barrier = readBarrier(storage().repositories, id);
  const waiting = [execute("Steps", { steps: [["get", id]] })];
  await barrier.reached;
  // While one waits for the database, others run in its thread; up to eleven wait as well.
  expect((await execute("Echo", 0)).body.data).toBe(0);
  for (let begun = 2; begun <= 12; begun += 1) {
    waiting.push(execute("Steps", { steps: [["get", id]] }));
    await eventually(barrier.waiting, begun);
  }
  const others = await Promise.all([execute("Echo", 1), execute("Echo", 2)]);
  expect(others).toMatchObject([
    { status: 503, code: "706", headers: { "retry-after": "1" } },
    { status: 503, code: "706" },
  ]);
  barrier.open();
  for (const answer of await Promise.all(waiting)) expect(answer.code).toBe("0");
  expect((await execute("Echo", 3)).body.data).toBe(3);
});

test("executions in the thread of a stuck one are answered 706, and nothing is kept; the stuck one, 710", async () => {
  await start({ MACRO_THREADS: "1", MACRO_CPU_TIME: "100ms" });
  const { repositories } = storage();
  const put = (name: string, run: string) =>
    new MacroStore(repositories).put(
      {
        name,
        text: `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: async ({ input, objects }) => { ${run} } });`,
        language: "js",
        changedBy: "test",
      },
      null,
    );
  await put("Stuck", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);");
  await put("Late", "await objects.get(input); return 'late';");
  const id = await create();
  const barrier = readBarrier(repositories, id);
  const late = execute("Late", id);
  await barrier.reached;
  expect((await execute("Stuck", null)).code).toBe("710");
  barrier.open();
  expect(await late).toMatchObject({ status: 503, code: "706", headers: { "retry-after": "1" } });
  expect((await execute("Late", id)).body.data).toBe("late");
});

test("executions of disconnected clients are ended, running or waiting for the database, which keeps nothing", async () => {
  await start({
    MACRO_THREADS: "1",
    MACRO_TIMEOUT: "10m",
    MACRO_CPU_TIME: "10m",
    ...tuned({ macros: { queue: { timeout: 60_000 } } }),
    DEBUG_MESSAGES: "true",
  });
  const text = (run: string) =>
    `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: async ({ input, objects, log }) => { ${run} } });`;
  const { repositories } = storage();
  const put = (name: string, run: string) =>
    new MacroStore(repositories).put({ name, text: text(run), language: "js", changedBy: "test" }, null);
  await put("Endless", "for (;;);");
  await put(
    "Late",
    "await objects.create('Customer', { Name: 'left behind' }); await objects.get(input, { forUpdate: true });",
  );
  const sealed = await session.seal({ headers: { appkey: appKey, "content-type": "application/json" }, body: "" });
  const abandoned = (name: string, input: unknown) => {
    const leaving = new AbortController();
    const answer = fetch(`${server.url}/v1/execute/${name}`, {
      method: "POST",
      headers: sealed.headers,
      body: JSON.stringify(input),
      signal: leaving.signal,
    });
    return {
      leave: () => leaving.abort(),
      gone: answer.then(
        () => "answered",
        () => "gone",
      ),
    };
  };
  const busy = async () =>
    /^sallyport_macros_running (\d)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1];

  const endless = abandoned("Endless", {});
  await eventually(busy, "1");
  endless.leave();
  expect(await endless.gone).toBe("gone");
  expect((await execute("Echo", 1)).body.data).toBe(1);

  const id = await create();
  const [locked, letGo] = [new Latch(), new Latch()];
  const holder = storage().transaction(async (r) => {
    await r.objects.lock([id]);
    locked.open();
    await letGo.pass();
  });
  await locked.pass();
  const late = abandoned("Late", id);
  await eventually(busy, "1");
  late.leave();
  expect(await late.gone).toBe("gone");
  expect((await execute("Echo", 2)).body.data).toBe(2);
  letGo.open();
  await holder;
  // Transactions run one by one here: when this one has ended, so has the abandoned one.
  await storage().transaction(async (r) => void (await r.objects.lock([id])));
  const query = encodeURIComponent(JSON.stringify({ where: { Name: "left behind" } }));
  expect((await callIn(server, session, `/v1/objects/Customer?query=${query}`)).body.data["~Count"]).toBe(0);
}, 60_000);

test("hook calls are counted by event", async () => {
  await start({});
  const { repositories } = storage();
  const text = (event: string, run: string) =>
    `import { defineHook, refuse } from "@sallyport/macros"; export default defineHook({ on: "${event}", classes: ["Customer"], run(given) { ${run} } });`;
  await new MacroStore(repositories).put(
    {
      name: "Before",
      text: text("beforeSave", "if (given.object.Name === 'no') refuse(718);"),
      language: "js",
      changedBy: "test",
    },
    null,
  );
  await new MacroStore(repositories).put(
    { name: "Shown", text: text("xRestApi_BuildSerialization", ""), language: "js", changedBy: "test" },
    null,
  );
  await create();
  await callIn(server, session, "/v1/object/Customer", { method: "POST", body: { Name: "no" } });
  await callIn(server, session, "/v1/objects/Customer?perPage=3");
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const [event, code, count] of [
    ["beforeSave", 0, 1],
    ["beforeSave", 718, 1],
    ["xRestApi_BuildSerialization", 0, 2],
  ] as const) {
    expect(metrics).toContain(`sallyport_hook_runs_total{event="${event}",code="${code}"} ${count}`);
  }
  expect(metrics).toContain('sallyport_hook_duration_seconds_count{event="beforeSave"} 2');
});

test("macro executions are counted", async () => {
  await start({});
  await execute("Echo", 1);
  await execute("Closed");
  await execute("Throwing");
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const code of [0, 401, 710]) expect(metrics).toContain(`sallyport_macro_executions_total{code="${code}"} 1`);
  expect(metrics).toMatch(/^sallyport_macro_duration_seconds_count 3$/m);
  expect(metrics).toMatch(/^sallyport_macros_running 0$/m);
  expect(metrics).toMatch(/^sallyport_macros_waiting 0$/m);
  expect(await call(server, "/_CheckService")).toMatchObject({ code: "0" });
});

test("the sample OpenInvoices finds unpaid invoices, in a list and in a bulk change", async () => {
  await start({ MACROS_DIR: join(import.meta.dirname, "../../macros/demo") });
  const list = async (query: object, more = "") => {
    const { code, body } = await callIn(
      server,
      session,
      `/v1/objects/Invoice?perPage=1000${more}&query=${encodeURIComponent(JSON.stringify(query))}`,
    );
    expect(code).toBe("0");
    return body.data["~Elements"] as {
      readonly Number: string;
      readonly Due: string;
      readonly Paid: boolean;
      readonly Amount: number;
    }[];
  };
  const open = await list({ macro: "OpenInvoices" });
  expect(open.length).toBeGreaterThan(0);
  expect(open).toEqual(await list({ where: { Paid: false }, sort: ["Due", "Number"] }));
  expect(await list({ macro: "OpenInvoices", sort: ["-Number"] })).toEqual(
    open.toSorted((a, b) => (a.Number < b.Number ? 1 : -1)),
  );
  expect(await list({ macro: "OpenInvoices", where: { Paid: true } })).toEqual([]);
  const query = encodeURIComponent(
    JSON.stringify({ macro: "OpenInvoices", where: { Number: { $in: open.slice(0, 2).map(({ Number }) => Number) } } }),
  );
  expect(
    await callIn(server, session, `/v1/objects/Invoice?query=${query}`, { method: "PATCH", body: { Paid: true } }),
  ).toMatchObject({ code: "0", body: { data: { "~Count": 2 } } });
  expect(await list({ macro: "OpenInvoices" })).toHaveLength(open.length - 2);
});
