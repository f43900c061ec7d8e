import { MacroStore } from "@sallyport/core";
import type { Repositories } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { callIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openSession } from "../open-session.ts";

/** What a macro can give with its calls of the server: anything. */

type Session = Awaited<ReturnType<typeof openSession>>;

/** Milliseconds. */
const patience = 120_000;

let server: RunningServer;
let demo: Session;
let reader: Session;
beforeAll(async () => {
  const limits = { MACRO_PATIENCE: "1m", MACRO_TIMEOUT: "1m", MACRO_CPU: "1m", MACRO_HOST_CALLS: "10000" };
  server = await startDemoServer("memory", { ...limits, DEBUG_MESSAGES: "true" });
  [demo, reader] = [await openSession(server, "session", "demo"), await openSession(server, "session", "reader")];
  // The parts come as text, because the server takes no JSON from clients such as some of them are.
  const text = `import { defineMacro } from "@sallyport/macros";
    export default defineMacro({ access: "everyone", async run({ input: { method, texts }, objects, call }) {
      const codes = [];
      for (const given of texts.map((each) => JSON.parse(each))) {
        try {
          await (method === "call" ? call : objects[method])(...given);
          codes.push(0);
        } catch (error) { codes.push(error.code ?? String(error)); }
      }
      return codes;
    } });`;
  await new MacroStore(repositories()).put({ name: "Ask", text, language: "js", changedBy: "test" }, null);
}, patience);
afterAll(() => server.close());

function repositories(): Repositories {
  const found = server.databases.get("");
  if (!found) throw new Error("The demo has no database.");
  return found.storage.repositories;
}

const deep = `${'{"a":'.repeat(50)}1${"}".repeat(50)}`;
const odd: readonly string[] = [
  "null",
  "true",
  "0",
  "-1",
  "1.5",
  "1e300",
  "[]",
  "[[]]",
  "{}",
  "[null]",
  '{"~ObjectID":{}}',
  '{"~ObjectID":"7K","~ClassName":"User"}',
  deep,
  '{"__proto__":{"administrator":true}}',
  '{"$where":"1"}',
  '{"where":{"$or":[]}}',
  '{"Name":{"__proto__":1}}',
  '{"Name":{"$regex":"(a+)+$"}}',
  '{"type":"custom","fields":["__proto__"]}',
  ...[
    "",
    " ",
    "Customer",
    "customer",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "../x",
    "a/b",
    "a?b=c",
    "a%00b",
    "\u0000",
    "x".repeat(5_000),
  ].map((text) => JSON.stringify(text)),
  '"\\ud800"',
  JSON.stringify(Array.from({ length: 1_000 }, () => "7K")),
];
const options = [
  "serialization",
  "hold",
  "where",
  "sort",
  "oids",
  "macro",
  "page",
  "perPage",
  "cursor",
  "count",
  "version",
  "moveToRecycler",
  "className",
  "id",
  "attributes",
  "input",
  "__proto__",
];
const texts: readonly string[] = [
  "[]",
  ...odd.map((each) => `[${each}]`),
  ...odd.flatMap((each) => ['"Customer"', '"7K"', '"Echo"'].map((first) => `[${first},${each}]`)),
  ...options.flatMap((name) => odd.map((each) => `["Customer",{${JSON.stringify(name)}:${each}}]`)),
  ...odd.map((each) => `["Customer",{"Name":"Ada"},{"version":${each}}]`),
];
const chunks = Array.from({ length: Math.ceil(texts.length / 100) }, (_, index) =>
  texts.slice(index * 100, (index + 1) * 100),
);

test.each(["get", "find", "create", "update", "readers", "setReaders", "delete", "lock", "unlock", "call"])(
  "%s refuses with a code of requests what cannot be meant, and never fails",
  async (method) => {
    const unexpected: unknown[] = [];
    for (const session of [reader, demo]) {
      for (const chunk of chunks) {
        const { status, code, body } = await callIn(server, session, "/v1/execute/Ask", {
          method: "POST",
          body: { method, texts: chunk },
        });
        if (code !== "0") unexpected.push([status, code, body.status.debugMessage, chunk[0]?.slice(0, 100)]);
        const codes: unknown[] = code === "0" ? body.data : [];
        for (const [index, told] of codes.entries()) {
          const isFine =
            typeof told === "number" &&
            (told === 0 || (told >= 300 && told < 700) || [710, 713, 718, 801].includes(told));
          if (!isFine) unexpected.push([told, chunk[index]?.slice(0, 200)]);
        }
      }
    }
    expect(unexpected).toEqual([]);
  },
  patience,
);
