import { MacroStore } from "@sallyport/core";
import type { ClassDefinition, Repositories } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { callIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openSession } from "../open-session.ts";
import { withoutLockout } from "../engines.ts";

/** What hooks would do to have an answer grow beyond what one may take. */

/** Milliseconds. */
const patience = 120_000;
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
    ANSWER_BYTES: String(most),
    MACRO_PATIENCE: "1m",
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
}, patience);
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
  ["much to what stands in it ten times", "400/307", [["Leaf", `json.More = ${long(300)};`]]],
  [
    "much to what stands in it ten times, from where it stands",
    "500/710",
    [
      ["Page", `json.Leaf.More = ${long(80)};`],
      ["Leaf", `json.More = ${long(80)};`],
      ["Page", `json.Copy = json.Leaf; json.Again = json.Leaf;`],
    ],
  ],
  [
    "what it takes away again",
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
    // Without what stands in it several times nothing is measured a second time.
    expect(await pages(hooks.some(([className]) => className === "Leaf"))).toBe(expected);
  },
  patience,
);
