import { type ClassDefinition, MacroStore, type Repositories } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { callIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { withoutLockout } from "../engines.ts";
import { openSession } from "../open-session.ts";

describe("attacks on answers", () => {
  /** Attempts of hooks to make an answer exceed its size limit. */

  /** Milliseconds. */
  const timeout = 120_000;
  const most = 2 * 1024 * 1024;

  const rights = [{ group: "*", permissions: ["read"] }] as const;
  const classes: ClassDefinition[] = [
    { name: "Leaf", base: null, attributes: [{ name: "Title", type: "string" }], rights },
    {
      name: "Page",
      base: null,
      attributes: [
        { name: "Title", type: "string" },
        { name: "Leaf", type: "reference", target: "Leaf" },
      ],
      rights,
    },
  ];

  let server: RunningServer;
  let demo: Awaited<ReturnType<typeof openSession>>;
  beforeAll(async () => {
    server = await startDemoServer("memory", {
      ...withoutLockout,
      MAX_RESPONSE_BYTES: String(most),
      MACRO_QUEUE_TIMEOUT: "1m",
      MACRO_TIMEOUT: "30s",
    });
    const { model, objects } = repositories();
    await model.change({ put: classes }, (await model.load()).generation);
    demo = await openSession(server, "session", "demo");
    const leaf = (await objects.insert([{ className: "Leaf", attributes: { Title: "leaf" } }]))[0]?.id as string;
    await objects.insert(
      Array.from({ length: 10 }, (_one, number) => ({
        className: "Page",
        attributes: { Title: String(number), Leaf: leaf },
        links: { Leaf: [leaf] },
      })),
    );
  }, timeout);
  afterAll(() => server.close());
  afterEach(async () => {
    for (const { name } of (await new MacroStore(repositories()).load()).macros)
      await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
  });

  const repositories = (): Repositories => server.databases.get("")?.storage.repositories as Repositories;

  async function put(name: string, className: string, run: string): Promise<void> {
    const text = `import { defineHook } from "@sallyport/macros";\nexport default defineHook({ on: "xRestApi_BuildSerialization", classes: ["${className}"], run(obj, json) { ${run} } });`;
    await new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
  }

  async function pages(withLeaf: boolean): Promise<string> {
    const serialization = JSON.stringify({ type: "custom", fields: withLeaf ? ["Title", "Leaf.Title"] : ["Title"] });
    const { status, code, body } = await callIn(
      server,
      demo,
      `/v1/objects/Page?serialization=${encodeURIComponent(serialization)}`,
      {},
    );
    if (code === "0")
      expect(body.data["~Elements"][0]).toMatchObject({ Title: "0", ...(withLeaf ? { Leaf: { Title: "leaf" } } : {}) });
    expect(JSON.stringify(body).length).toBeLessThan(most + 10_000);
    return `${status}/${code}`;
  }

  const long = (kilobytes: number) => `"x".repeat(${kilobytes * 1_000})`;

  test.each<readonly [string, string, readonly (readonly [string, string])[]]>([
    ["little", "200/0", [["Page", `json.More = ${long(10)};`]]],
    [
      "as much as fits, one after the other",
      "200/0",
      [
        ["Page", `json.A = ${long(80)};`],
        ["Page", `json.B = ${long(80)};`],
      ],
    ],
    [
      "too much, one after the other",
      "400/307",
      [
        ["Page", `json.A = ${long(80)};`],
        ["Page", `json.B = ${long(80)};`],
        ["Page", `json.C = ${long(80)};`],
      ],
    ],
    ["much to an object that occurs ten times", "400/307", [["Leaf", `json.More = ${long(300)};`]]],
    [
      "much to an object that occurs ten times, through its parent",
      "500/710",
      [
        ["Page", `json.Leaf.More = ${long(80)};`],
        ["Leaf", `json.More = ${long(80)};`],
        ["Page", `json.Copy = json.Leaf; json.Again = json.Leaf;`],
      ],
    ],
    [
      "members that they remove again",
      "200/0",
      [
        ["Page", `json.A = ${long(80)};`],
        ["Page", "delete json.A;"],
        ["Page", `json.B = ${long(80)};`],
        ["Page", "delete json.B;"],
        ["Page", `json.C = ${long(80)};`],
      ],
    ],
  ])(
    "hooks add %s",
    async (_what, expected, hooks) => {
      for (const [index, [className, run]] of hooks.entries()) await put(`Grow${index}`, className, run);
      // Without repeated objects, nothing is measured a second time.
      expect(await pages(hooks.some(([className]) => className === "Leaf"))).toBe(expected);
    },
    timeout,
  );
});

describe("attacks on calls", () => {
  /** Arbitrary arguments of a macro's calls. */

  type Session = Awaited<ReturnType<typeof openSession>>;

  /** Milliseconds. */
  const timeout = 120_000;

  let server: RunningServer;
  let demo: Session;
  let reader: Session;
  beforeAll(async () => {
    const limits = { MACRO_QUEUE_TIMEOUT: "1m", MACRO_TIMEOUT: "1m", MACRO_CPU_TIME: "1m", MACRO_HOST_CALLS: "10000" };
    server = await startDemoServer("memory", { ...limits, DEBUG_MESSAGES: "true" });
    [demo, reader] = [await openSession(server, "session", "demo"), await openSession(server, "session", "reader")];
    // The arguments come as text, because the server refuses some of them as JSON.
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
  }, timeout);
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
    "forUpdate",
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
    "%s refuses invalid arguments with a client code, and never fails",
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
    timeout,
  );
});
