import {
  type Agent,
  type ClassContent,
  type ObjectContent,
  ref,
  startTestService,
  type TestService,
} from "@sallyport/testing";
import { multiResults } from "@sallyport/testing/acceptance";

/** Attempts of an attacker whose requests call harmless hooks. */

/** Milliseconds. */
const timeout = 120_000;

const classes: ClassContent[] = [
  { name: "Safe", attributes: [{ name: "Word", type: "string" }], rights: [] },
  { name: "Folder", attributes: [{ name: "Name", type: "string" }] },
  {
    name: "Sheet",
    attributes: [
      { name: "Title", type: "string" },
      { name: "Folder", type: "reference", target: "Folder", onDelete: "cascade" },
      { name: "Safe", type: "reference", target: "Safe" },
    ],
  },
  { name: "Mark", attributes: [{ name: "Text", type: "string" }] },
];

let service: TestService;
let demo: Agent;
let safeId: string;
let hiddenId: string;
beforeAll(async () => {
  service = await startTestService({
    databases: {
      "": {
        classes,
        users: [{ name: "demo" }, { name: "admin", administrator: true }],
        objects: [{ name: "safe", className: "Safe", attributes: { Word: "sesame" } }],
        // With `Broken`, which no request could store.
        macros: import.meta.dirname,
      },
    },
    configuration: { macros: { timeout: "30s" } },
  });
  demo = service.as("demo");
  safeId = service.id("safe");
});
beforeEach(async () => {
  hiddenId = await insertHidden({ Title: "sesame" });
});
afterEach(() => service.reset());
afterAll(() => service.close());

/** Creates an object without hooks. */
const insert = async (object: Omit<ObjectContent, "name">): Promise<string> => {
  await service.seed({ objects: [{ name: "inserted", ...object }] });
  return service.id("inserted");
};
/** Creates a sheet that only administrators see. */
const insertHidden = async (attributes: ObjectContent["attributes"] = {}): Promise<string> => {
  const id = await insert({ className: "Sheet", attributes });
  await service.as("admin").put(`/v1/object/${id}/readers`).send({ readers: [] }).expect(200);
  return id;
};
const module = (kind: string, text: string) =>
  `import { define${kind}, refuse } from "@sallyport/macros";\nexport default define${kind}({ ${text} });`;
const put = (name: string, text: string) => service.seed({ macros: { [name]: text } });
const hook = (name: string, on: string, className: string, run: string) =>
  put(name, module("Hook", `on: "${on}", classes: ["${className}"], ${run}`));
const list = (className: string, query: object) =>
  demo.get(`/v1/objects/${className}`).query({ query: JSON.stringify(query) });
const statusOf = ({ status, body }: Awaited<ReturnType<typeof list>>) => `${status}/${body.status.internalStatus}`;
const marks = async (): Promise<number> => (await list("Mark", {})).body.data["~UnfilteredCount"];

test("a query can name only list hooks of its class", async () => {
  await hook("Every", "xRestApi_FindObjects", "Sheet", "run: () => true");
  await hook("OfFolders", "xRestApi_FindObjects", "Folder", "run: () => true");
  await hook("Saving", "beforeSave", "Sheet", "run() {}");
  await put("Macro", module("Macro", 'access: "everyone", run: () => true'));
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
  const shown = await insert({ className: "Sheet", attributes: { Title: "shown", Safe: ref("safe") } });
  const guess = async (filter: object) => {
    const response = await list("Sheet", { macro: "Guess", where: { Title: { $ne: JSON.stringify(filter) } } });
    return [statusOf(response), response.body.data?.["~Count"]];
  };
  expect(await guess({ Title: "shown" })).toEqual(["200/0", 1]);
  // Invisible values do not exist for the hook or the caller: a right guess reveals as little as a wrong one.
  expect(await guess({ "Safe.Word": "sesame" })).toEqual(await guess({ "Safe.Word": "other" }));
  expect(await guess({ "Safe.Word": { $ne: "sesame" } })).toEqual(await guess({ "Safe.Word": { $ne: "other" } }));
  expect(await guess({ "Safe.Word": "sesame" })).toEqual(await guess({ "Safe.Nothing": "sesame" }));
  expect(await guess({ Safe: safeId })).toEqual(await guess({ Safe: "ZZZZZZ" }));
  expect(await guess({ Title: "sesame" })).toEqual(["200/0", 0]);
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
  const text = `{
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
  await hook("Reaching", on, "Folder", `${head} ${text}`);
  const { status, body } = await (on === "beforeSave"
    ? demo.patch(`/v1/object/${folder}`).send({})
    : demo.get(`/v1/object/${folder}`));
  expect([status, body.data]).toEqual([200, expect.objectContaining({ Name: "304,304,304,0,0,304" })]);
});

test("delete hooks receive only the meta-fields of objects that the caller cannot see", async () => {
  const folder = await insert({ className: "Folder", attributes: { Name: "x" } });
  const secret = await insertHidden({ Title: "sesame", Folder: folder });
  await hook(
    "Told",
    "afterDelete",
    "Sheet",
    `async run({ object }, { objects }) { await objects.create("Mark", { Text: JSON.stringify(object) }); }`,
  );
  const { status } = await demo.delete(`/v1/object/${folder}`);
  const { body } = await list("Mark", { where: { Text: { $contains: secret } } });
  const texts = body.data["~Elements"].map(({ Text }: { Text: string }) => Object.keys(JSON.parse(Text)));
  expect([status, texts]).toEqual([200, [["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]]]);
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
    expect(statusOf(await demo.post("/v1/object/Folder").send({ Name: "round" }))).toBe("500/710");
    const sheet = { method: "POST", path: "/v1/object/Sheet", data: { Title: "round" } };
    expect(statusOf(await demo.post("/v1/multi?atomic=true").send([sheet, creation]))).toBe("500/710");
    const reading = { method: "GET", path: "/v1/objects/Mark?perPage=1" };
    const { data } = (await demo.post("/v1/multi").send([creation, reading])).body;
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
    const together = async (...titles: string[]) =>
      statusOf(await demo.post("/v1/multi?atomic=true").send(titles.map(add)));
    for (let round = 0; round < 5; round += 1) expect(await together("first", "endless", "last")).toBe("500/710");
    expect(await marks()).toBe(before);
    expect(await together("first", "last")).toBe("200/0");
    expect(await marks()).toBe(before + 2);
  },
  timeout,
);
