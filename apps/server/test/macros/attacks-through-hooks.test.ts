import { type ClassDefinition, type NewObject, type Repositories, seesAll, MacroStore } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn, type Sent, multiResults } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openSession } from "../open-session.ts";
import { withoutLockout } from "../engines.ts";

/** Attempts of an attacker whose requests call harmless hooks. */

type Session = Awaited<ReturnType<typeof openSession>>;

/** Milliseconds. */
const timeout = 120_000;

const everything = ["read", "create", "write", "delete"] as const;
const open = [{ group: "*", permissions: everything }];
const classes: ClassDefinition[] = [
  { name: "Safe", base: null, attributes: [{ name: "Word", type: "string" }], rights: [] },
  { name: "Folder", base: null, attributes: [{ name: "Name", type: "string" }], rights: open },
  {
    name: "Sheet",
    base: null,
    attributes: [
      { name: "Title", type: "string" },
      { name: "Folder", type: "reference", target: "Folder", onDelete: "cascade" },
      { name: "Safe", type: "reference", target: "Safe" },
    ],
    rights: open,
  },
  { name: "Mark", base: null, attributes: [{ name: "Text", type: "string" }], rights: open },
];

let server: RunningServer;
let demo: Session;
let safeId: string;
let hiddenId: string;
beforeAll(async () => {
  server = await startDemoServer("memory", {
    ...withoutLockout,
    MACRO_QUEUE_TIMEOUT: "1m",
    MACRO_TIMEOUT: "30s",
    DEBUG_MESSAGES: "true",
  });
  const { model } = repositories();
  await model.change({ put: classes }, (await model.load()).generation);
  demo = await openSession(server, "session", "demo");
  safeId = await insert({ className: "Safe", attributes: { Word: "sesame" } });
  hiddenId = await insert({ className: "Sheet", attributes: { Title: "sesame" }, readers: [] });
}, timeout);
afterAll(() => server.close());
afterEach(async () => {
  for (const { name } of (await new MacroStore(repositories()).load()).macros)
    await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
});

function repositories(): Repositories {
  const found = server.databases.get("");
  if (!found) throw new Error("The demo has no database.");
  return found.storage.repositories;
}
const insert = async (object: NewObject): Promise<string> =>
  (await repositories().objects.insert([object]))[0]?.id as string;
const module = (kind: string, text: string) =>
  `import { define${kind}, refuse } from "@sallyport/macros";\nexport default define${kind}({ ${text} });`;
const put = (name: string, text: string) =>
  new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
const hook = (name: string, on: string, className: string, run: string) =>
  put(name, module("Hook", `on: "${on}", classes: ["${className}"], ${run}`));
const send = (path: string, { method = "GET", body }: Pick<Sent, "method" | "body"> = {}): Promise<Answer> =>
  callIn(server, demo, path, { method, ...(body === undefined ? {} : { body }) });
const list = (className: string, query: object) =>
  send(`/v1/objects/${className}?query=${encodeURIComponent(JSON.stringify(query))}`);
const statusOf = ({ status, code }: Answer) => `${status}/${code}`;
const marks = () => repositories().objects.count({ classes: ["Mark"] }, seesAll);

test("a query can name only list hooks of its class", async () => {
  await hook("Every", "xRestApi_FindObjects", "Sheet", "run: () => true");
  await hook("OfFolders", "xRestApi_FindObjects", "Folder", "run: () => true");
  await hook("Saving", "beforeSave", "Sheet", "run() {}");
  await put("Macro", module("Macro", 'access: "everyone", run: () => true'));
  await put("Broken", "export default 1;");
  expect(statusOf(await list("Sheet", { macro: "Every" }))).toBe("200/0");
  const prototypes = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "find",
    "length",
  ];
  for (const macro of [
    ...prototypes,
    "OfFolders",
    "Saving",
    "Macro",
    "Broken",
    "every",
    " Every",
    "Every\u0000",
    "",
    "xRestApi_FindObjects",
    "../Every",
    0,
    null,
    true,
    ["Every"],
    { name: "Every" },
  ]) {
    expect([macro, statusOf(await list("Sheet", { macro }))]).toEqual([macro, "400/307"]);
  }
});

test("the hooks of a class are hidden from callers who cannot read it", async () => {
  await hook("Named", "xRestApi_FindObjects", "Safe", "run({ narrow }, { log }) { log('asked'); return true; }");
  for (const macro of ["Named", "Other"]) expect(statusOf(await list("Safe", { macro }))).toBe("404/304");
  expect(statusOf(await list("Nothing", { macro: "Named" }))).toBe("404/304");
});

test("a list hook reveals nothing that the caller cannot see", async () => {
  await hook(
    "Guess",
    "xRestApi_FindObjects",
    "Sheet",
    "run(set) { set.narrow(JSON.parse(set.where.Title.$ne)); return true; }",
  );
  const shown = await insert({
    className: "Sheet",
    attributes: { Title: "shown", Safe: safeId },
    links: { Safe: [safeId] },
  });
  const guess = async (filter: object) => {
    const { code, body } = await list("Sheet", { macro: "Guess", where: { Title: { $ne: JSON.stringify(filter) } } });
    return [code, body.data?.["~Count"]];
  };
  expect(await guess({ Title: "shown" })).toEqual(["0", 1]);
  // Invisible values do not exist for the hook or the caller: a right guess reveals as little as a wrong one.
  expect(await guess({ "Safe.Word": "sesame" })).toEqual(await guess({ "Safe.Word": "other" }));
  expect(await guess({ "Safe.Word": { $ne: "sesame" } })).toEqual(await guess({ "Safe.Word": { $ne: "other" } }));
  expect(await guess({ "Safe.Word": "sesame" })).toEqual(await guess({ "Safe.Nothing": "sesame" }));
  expect(await guess({ Safe: safeId })).toEqual(await guess({ Safe: "ZZZZZZ" }));
  expect(await guess({ Title: "sesame" })).toEqual(["0", 0]);
  await hook(
    "Guess",
    "xRestApi_FindObjects",
    "Sheet",
    `run(set) { set.only(["${hiddenId}", "${shown}"]); return true; }`,
  );
  const { data } = (await list("Sheet", { macro: "Guess" })).body;
  expect([data["~Count"], data["~Elements"].map((each: Record<string, unknown>) => each["~ObjectID"])]).toEqual([
    1,
    [shown],
  ]);
  const everywhere = { oids: [hiddenId], macro: "Guess" };
  expect((await list("Sheet", everywhere)).body.data["~Count"]).toBe(0);
});

test.each([
  ["xRestApi_BuildSerialization", "async run(obj, json, { objects })"],
  ["beforeSave", "async run({ object: json }, { objects })"],
])("no hook of the event %s reaches what its caller cannot see", async (on, head) => {
  const folder = await insert({ className: "Folder", attributes: { Name: "x" } });
  const body = `{
    const codes = [];
    const attempt = (work) => work().then((found) => codes.push(found["~Count"] ?? 0), ({ code }) => codes.push(code));
    await attempt(() => objects.get("${safeId}"));
    await attempt(() => objects.get("${hiddenId}"));
    await attempt(() => objects.find("Safe", {}));
    await attempt(() => objects.find("Sheet", { oids: ["${hiddenId}"] }));
    await attempt(() => objects.find("Sheet", { where: { "Safe.Word": "sesame" } }));
    await attempt(() => objects.find("User", { where: { "Password": { $like: "%" } } }));
    json.Name = codes.join();
  }`;
  await hook("Reaching", on, "Folder", `${head} ${body}`);
  const answer =
    on === "beforeSave"
      ? await send(`/v1/object/${folder}`, { method: "PATCH", body: {} })
      : await send(`/v1/object/${folder}`);
  expect(answer).toMatchObject({ code: "0", body: { data: { Name: "304,304,304,0,0,304" } } });
});

test("delete hooks receive only the meta-fields of objects that the caller cannot see", async () => {
  const folder = await insert({ className: "Folder", attributes: { Name: "x" } });
  const secret = await insert({
    className: "Sheet",
    attributes: { Title: "sesame", Folder: folder },
    links: { Folder: [folder] },
    readers: [],
  });
  await hook(
    "Told",
    "afterDelete",
    "Sheet",
    `async run({ object }, { objects }) { await objects.create("Mark", { Text: JSON.stringify(object) }); }`,
  );
  const { code } = await send(`/v1/object/${folder}`, { method: "DELETE" });
  const { body } = await list("Mark", { where: { Text: { $contains: secret } } });
  const texts = body.data["~Elements"].map(({ Text }: { Text: string }) => Object.keys(JSON.parse(Text)));
  expect([code, texts]).toEqual(["0", [["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]]]);
  expect(JSON.stringify(body)).not.toContain("sesame");
});

test(
  "save hooks that call each other endlessly leave nothing, alone and in a transaction",
  async () => {
    await hook(
      "There",
      "afterSave",
      "Folder",
      `async run({ object }, { objects }) { await objects.create("Mark", { Text: object.Name }); }`,
    );
    await hook(
      "Back",
      "afterSave",
      "Mark",
      `async run({ object }, { objects }) { await objects.create("Folder", { Name: object.Text }); }`,
    );
    const before = await marks();
    const creation = { method: "POST", path: "/v1/object/Folder", data: { Name: "round" } };
    expect(statusOf(await send("/v1/object/Folder", { method: "POST", body: { Name: "round" } }))).toBe("500/710");
    expect(
      statusOf(
        await send("/v1/multi?atomic=true", {
          method: "POST",
          body: [{ method: "POST", path: "/v1/object/Sheet", data: { Title: "round" } }, creation],
        }),
      ),
    ).toBe("500/710");
    const { data } = (
      await send("/v1/multi", {
        method: "POST",
        body: [creation, { method: "GET", path: "/v1/objects/Mark?perPage=1" }],
      })
    ).body;
    expect(multiResults(data)).toMatchObject([{ httpStatus: 500, result: 710 }, { httpStatus: 200 }]);
    for (const [className, query] of [
      ["Folder", { where: { Name: "round" } }],
      ["Sheet", { where: { Title: "round" } }],
    ] as const) {
      expect((await list(className, query)).body.data["~Count"]).toBe(0);
    }
    expect(await marks()).toBe(before);
  },
  timeout,
);

test(
  "an endless hook rolls back its transaction, and frees its slot",
  async () => {
    await put(
      "Endless",
      module(
        "Hook",
        'on: "beforeSave", classes: ["Sheet"], timeout: 300, run({ object }) { if (object.Title === "endless") for (;;); }',
      ),
    );
    await hook(
      "Marks",
      "afterSave",
      "Sheet",
      `async run({ object }, { objects }) { await objects.create("Mark", { Text: object.Title }); }`,
    );
    const before = await marks();
    const add = (Title: string) => ({ method: "POST", path: "/v1/object/Sheet", data: { Title } });
    for (let round = 0; round < 5; round += 1) {
      expect(
        statusOf(
          await send("/v1/multi?atomic=true", { method: "POST", body: [add("first"), add("endless"), add("last")] }),
        ),
      ).toBe("500/710");
    }
    expect(await marks()).toBe(before);
    expect(statusOf(await send("/v1/multi?atomic=true", { method: "POST", body: [add("first"), add("last")] }))).toBe(
      "200/0",
    );
    expect(await marks()).toBe(before + 2);
  },
  timeout,
);
