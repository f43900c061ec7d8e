import { type ClassDefinition, defaultAnswerBytes, type NewObject, seesAll, type Visibility } from "@sallyport/storage";
import {
  defaultDepth,
  Model,
  ObjectSerializer,
  planSerialization,
  type Serialization,
  type SerializationField,
  StoreTime,
} from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";

const classes: readonly ClassDefinition[] = [
  {
    name: "Order",
    base: null,
    attributes: [
      { name: "Number", type: "string" },
      { name: "Customer", type: "reference", target: "Customer" },
      { name: "Positions", type: "collection", target: "Position" },
      { name: "Notes", type: "json" },
      { name: "Anything", type: "reference" },
      { name: "Paper", type: "file" },
    ],
    rights: [],
  },
  { name: "RushOrder", base: "Order", attributes: [{ name: "Until", type: "date" }], rights: [] },
  {
    name: "Customer",
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "City", type: "string" },
      { name: "Parent", type: "reference", target: "Customer" },
      { name: "Orders", type: "collection", target: "Order" },
    ],
    rights: [],
  },
  {
    name: "Position",
    base: null,
    attributes: [
      { name: "Text", type: "string" },
      { name: "Price", type: "number" },
      { name: "Order", type: "reference", target: "Order" },
    ],
    rights: [],
  },
];

const all: Visibility = seesAll;
/** Sees all classes, but no objects with readers. */
const nobody: Visibility = { classes: null, principals: new Set() };
const without = (...hidden: string[]): Visibility => ({
  classes: new Set(classes.map(({ name }) => name).filter((name) => !hidden.includes(name))),
  principals: null,
});

describe("planned serialization", () => {
  let fixture: Fixture;
  let model: Model;
  let ids: { parent: string; customer: string; positions: string[]; order: string; rush: string; file: string };
  let reads: string[];

  const insert = async (object: NewObject) => (await fixture.insert(object))[0] as string;

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(...classes);
    model = new Model(await fixture.r.model.load());
    const file = await insert({ className: "File", attributes: { Name: "paper.pdf" } });
    const parent = await insert({ className: "Customer", attributes: { Name: "Parent", City: "Braga" } });
    const customer = await insert({
      className: "Customer",
      attributes: { Name: "Child", City: "Gent", Parent: parent },
    });
    const positions = await fixture.insert(
      ...Array.from({ length: 7 }, (_, index) => ({
        className: "Position",
        attributes: { Text: `Position ${index}`, Price: index },
        readers: index === 2 ? ["ZZZ"] : null,
      })),
    );
    const attributes = {
      Number: "1",
      Customer: customer,
      Positions: ["NOTHING", ...positions],
      Notes: { a: 1 },
      Anything: parent,
      Paper: file,
    };
    const order = await insert({ className: "Order", attributes });
    const rush = await insert({
      className: "RushOrder",
      attributes: { Number: "2", Customer: parent, Until: "2026-01-01" },
    });
    ids = { parent, customer, positions, order, rush, file };
    reads = [];
  });

  const serialize = async (serialization: Serialization | undefined, visibility = all, className = "Order") => {
    const { objects } = fixture.r;
    const found = await objects.find({ classes: ["Order", "RushOrder"] }, visibility, { offset: 0, limit: 10 });
    const roots = found.objects.filter((each) => className !== "RushOrder" || each.className === className);
    const counted = Object.assign(Object.create(objects) as typeof objects, {
      get: (...parts: Parameters<typeof objects.get>) => {
        const [which] = parts;
        reads.push(`get ${("uuids" in which ? which.uuids : which).length}`);
        return objects.get(...parts);
      },
      outlines: (...parts: Parameters<typeof objects.outlines>) => (
        reads.push(`outlines ${parts[0].length}`), objects.outlines(...parts)
      ),
    });
    const plan = planSerialization(serialization, { model, visibility, className });
    const source = { objects: counted, visibility, storeTime: new StoreTime("UTC"), answerBytes: defaultAnswerBytes };
    return JSON.parse(JSON.stringify(await new ObjectSerializer(source, plan).serialize(roots)));
  };
  const custom = (fields: SerializationField[], visibility?: Visibility, depth?: number) =>
    serialize({ type: "custom", fields, depth }, visibility);
  const metaFields = ["~ClassName", "~ObjectID", "~UUID", "~StoreTime"];
  const attributesOf = (object: object | null) =>
    Object.keys(object ?? {}).filter((name) => !metaFields.includes(name));

  test("is full to the default depth unless requested otherwise", async () => {
    const [order] = await serialize(undefined);
    expect(attributesOf(order)).toEqual(["Number", "Customer", "Positions", "Notes", "Anything", "Paper"]);
    expect(order.Customer.Parent).toMatchObject({ Name: "Parent" });
    expect(await serialize({ type: "full", depth: defaultDepth })).toEqual(await serialize({}));
    expect((await serialize({ depth: 0 }))[0].Customer).toEqual({
      "~ClassName": "Customer",
      "~ObjectID": ids.customer,
      "~StoreTime": expect.any(String),
    });
  });

  test("writes meta-fields for empty and reads nothing", async () => {
    const objects = await serialize({ type: "empty" });
    expect(objects.map((each: object) => Object.keys(each))).toEqual([metaFields, metaFields]);
    expect(reads).toEqual([]);
  });

  test("writes the id for oid and reads nothing", async () => {
    expect(await serialize({ type: "oid" })).toEqual([{ "~ObjectID": ids.order }, { "~ObjectID": ids.rush }]);
    expect(reads).toEqual([]);
  });

  test("writes custom fields in the order of the class, with the meta-fields", async () => {
    const [order, rush] = await custom(["Notes", "Number", "Until"]);
    expect(Object.keys(order)).toEqual([...metaFields, "Number", "Notes"]);
    expect(Object.keys(rush)).toEqual([...metaFields, "Number", "Until"]);
    expect(rush).toMatchObject({ Number: "2", Until: "2026-01-01" });
    expect(reads).toEqual([]);
  });

  test("writes meta-fields for custom without fields", async () => {
    expect(attributesOf((await custom([]))[0])).toEqual([]);
    expect(attributesOf((await custom([{ name: "Customer", fields: [] }]))[0].Customer)).toEqual([]);
  });

  test("writes ~UUID of the requested objects, and of others where fields name it", async () => {
    const uuidOf = async (id: string) => (await fixture.r.objects.get([id], all))[0]?.uuid;
    const [order, customer, parent, position] = await Promise.all(
      [ids.order, ids.customer, ids.parent, ids.positions[0] as string].map(uuidOf),
    );
    const written = (text: string) => Array.from(text.matchAll(/"~UUID":"([^"]+)"/g), ([, uuid]) => uuid);
    const uuidsIn = async (serialization: Serialization | undefined) =>
      written(JSON.stringify((await serialize(serialization))[0]));
    for (const serialization of [
      undefined,
      { type: "full", depth: 5 },
      { type: "empty" },
      { type: "macro" },
      { type: "custom", fields: [] },
    ] as const) {
      expect(await uuidsIn(serialization)).toEqual([order]);
    }
    expect(await uuidsIn({ type: "oid" })).toEqual([]);
    expect(await uuidsIn({ type: "custom", fields: ["Customer", "Positions"] })).toEqual([order]);
    expect(await uuidsIn({ type: "custom", fields: ["Number", "~UUID"] })).toEqual([order]);
    expect(await uuidsIn({ type: "custom", fields: ["Customer.~UUID"] })).toEqual([order, customer]);
    expect(await uuidsIn({ type: "custom", fields: ["Customer.Parent.~UUID", "Customer.Name"] })).toEqual([
      order,
      parent,
    ]);
    expect(await uuidsIn({ type: "custom", fields: [{ name: "Positions", perPage: 1, fields: ["~UUID"] }] })).toEqual([
      order,
      position,
    ]);
    expect(
      await uuidsIn({
        type: "custom",
        fields: [{ name: "Customer", fields: ["Name", "~UUID", { name: "Parent", fields: [] }] }],
      }),
    ).toEqual([order, customer]);
    const [first] = await custom(["Customer.~UUID", "Customer.Name"]);
    expect(Object.keys(first.Customer)).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime", "Name"]);
    expect(await custom(["Customer.~UUID", "Positions.~UUID"], without("Customer"))).toMatchObject([
      { Customer: null },
      { Customer: null },
    ]);
  });

  test("follows custom paths, those with a common prefix together", async () => {
    const [order] = await custom(["Customer.Name", "Number", "Customer.Parent.City", "Positions.Price"]);
    expect(attributesOf(order)).toEqual(["Number", "Customer", "Positions"]);
    expect(attributesOf(order.Customer)).toEqual(["Name", "Parent"]);
    expect(attributesOf(order.Customer.Parent)).toEqual(["City"]);
    expect(order.Positions["~Elements"].map(attributesOf)).toEqual(ids.positions.map(() => ["Price"]));
    // The customer's parent is among the ten, as the customer of the other order.
    expect(reads).toEqual(["get 10"]);
  });

  test("writes links without fields to the depth, counted from the roots", async () => {
    expect(attributesOf((await custom(["Customer"]))[0].Customer.Parent)).toEqual(["Name", "City"]);
    expect(attributesOf((await custom(["Customer"], all, 1))[0].Customer.Parent)).toEqual([]);
    expect(attributesOf((await custom(["Customer"], all, 0))[0].Customer)).toEqual([]);
    expect(attributesOf((await custom(["Customer.Parent"], all, 1))[0].Customer.Parent)).toEqual([]);
    expect(attributesOf((await custom(["Customer.Parent"], all, 2))[0].Customer.Parent)).toEqual(["Name", "City"]);
  });

  test("follows paths beyond the depth", async () => {
    expect((await custom(["Customer.Parent.Name"], all, 0))[0].Customer.Parent).toMatchObject({ Name: "Parent" });
  });

  test("follows links to any class, and to files", async () => {
    const [order] = await custom(["Anything.City", "Paper.Name"]);
    expect(order).toMatchObject({ Anything: { City: "Braga" }, Paper: { Name: "paper.pdf" } });
  });

  test("writes a page of a collection, and counts all of its visible members", async () => {
    const page = async (more: object, visibility = nobody) =>
      (await custom([{ name: "Positions", fields: ["Text"], ...more }], visibility))[0].Positions;
    const texts = (found: { "~Elements": { Text: string }[] }) =>
      found["~Elements"].map(({ Text }) => Text.slice(-1)).join("");
    const first = await page({ page: 0, perPage: 3 });
    expect(first).toMatchObject({ "~Count": 6, "~UnfilteredCount": 6 });
    expect(texts(first)).toBe("013");
    expect(texts(await page({ page: 1, perPage: 3 }))).toBe("456");
    expect(await page({ page: 2, perPage: 3 })).toEqual({ "~Count": 6, "~UnfilteredCount": 6, "~Elements": [] });
    expect(texts(await page({ page: 0 }))).toBe("013456");
    expect(texts(await page({ perPage: 2 }))).toBe("01");
    expect(texts(await page({ perPage: 4 }, all))).toBe("0123");
    expect((await page({ perPage: 4 }, all))["~Count"]).toBe(7);
  });

  test("reads only the requested page of a collection", async () => {
    await custom([{ name: "Positions", perPage: 2, fields: ["Text"] }], nobody);
    expect(reads).toEqual(["outlines 8", "get 2"]);
  });

  test("pages collections inside others", async () => {
    const many = await fixture.insert(
      ...Array.from({ length: 5 }, (_, n) => ({ className: "Order", attributes: { Number: `n${n}` } })),
    );
    const owner = await insert({ className: "Customer", attributes: { Name: "Owner", Orders: many } });
    await insert({ className: "RushOrder", attributes: { Customer: owner } });
    const found = await serialize(
      { type: "custom", fields: [{ name: "Customer.Orders", page: 1, perPage: 2, fields: ["Number"] }] },
      all,
      "RushOrder",
    );
    expect(found[1].Customer.Orders).toMatchObject({ "~Count": 5, "~Elements": [{ Number: "n2" }, { Number: "n3" }] });
    expect(attributesOf(found[1].Customer)).toEqual(["Orders"]);
  });

  test("writes null for a reference to a hidden object, and omits hidden members of collections", async () => {
    const [order] = await custom(["Customer.Name", "Positions.Text"], without("Customer", "Position"));
    expect(order).toMatchObject({ Customer: null, Positions: { "~Count": 0, "~Elements": [] } });
  });

  test("reveals no attributes of classes that the caller may not read", async () => {
    const [order] = await custom(["Customer.Name", "Positions.Nonsense"], without("Customer", "Position"));
    expect(order).toMatchObject({ Customer: null });
    await expect(custom(["Until"], without("RushOrder"))).rejects.toMatchObject({ code: 307 });
  });

  const path = (...parts: (string | object)[]) => parts as SerializationField[];
  test.each([
    ["an unknown attribute", path("Number", "Nothing"), "/1"],
    ["a meta-field", path("~ObjectID"), "/0"],
    ["another spelling", path("number"), "/0"],
    ["another spelling of ~UUID", path("~Uuid"), "/0"],
    ["a duplicate ~UUID", path("~UUID", "Number", "~UUID"), "/2"],
    ["a path through ~UUID", path("~UUID.Name"), "/0"],
    ["fields of ~UUID", path({ name: "~UUID", fields: [] }), "/0"],
    ["a page of ~UUID", path({ name: "Customer.~UUID", page: 0 }), "/0"],
    ["a name of the object prototype", path("toString"), "/0"],
    ["an attribute of another class", path("City"), "/0"],
    ["an attribute that the target lacks", path("Number", "Customer.Number"), "/1"],
    ["a path through an attribute that is not a link", path("Number.Name"), "/0"],
    ["a path into JSON", path("Notes.a"), "/0"],
    ["an empty name in a path", path("Customer."), "/0"],
    ["a path that begins with a dot", path(".Customer"), "/0"],
    ["a duplicate name", path("Number", "Notes", "Number"), "/2"],
    ["a duplicate path", path("Customer.Name", "Customer.Name"), "/1"],
    ["a link whole and in part", path("Customer", "Customer.Name"), "/1"],
    ["a link in part and whole", path("Customer.Name", "Customer"), "/1"],
    [
      "a link in two objects",
      path({ name: "Customer", fields: ["Name"] }, { name: "Customer", fields: ["City"] }),
      "/1",
    ],
    ["a link in an object and by a path", path({ name: "Customer", fields: ["Name"] }, "Customer.City"), "/1"],
    ["a duplicate name inside", path({ name: "Customer", fields: ["Name", "Name"] }), "/0/fields/1"],
    ["an unknown name inside", path("Number", { name: "Positions", fields: ["Text", "Nothing"] }), "/1/fields/1"],
    ["fields of an attribute that is not a link", path({ name: "Number", fields: [] }), "/0"],
    ["a page of a reference", path({ name: "Customer", page: 0 }), "/0"],
    ["a page of a text", path({ name: "Number", perPage: 5 }), "/0"],
    ["more than five names in a path", path("Customer.Parent.Parent.Parent.Parent.Name"), "/0"],
    [
      "more than five nested names",
      path({ name: "Customer.Parent", fields: [{ name: "Parent.Parent", fields: ["Parent.Name"] }] }),
      "/0/fields/0/fields/0",
    ],
  ])("refuses %s", async (_what, fields, place) => {
    const refusal = await custom(fields).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 307 });
    expect((refusal as { detail: string }).detail.split(":")[0]).toBe(`at /serialization/fields${place}`);
    expect(reads).toEqual([]);
  });

  test("accepts five names in a path", async () => {
    await expect(custom(["Customer.Parent.Parent.Parent.Name"])).resolves.toHaveLength(2);
  });

  test("accepts at most 200 fields, including nested ones", async () => {
    const next = { name: "Next", type: "reference", target: "Wide" } as const;
    const attributes = Array.from({ length: 200 }, (_, index) => ({ name: `A${index}`, type: "string" }) as const);
    await fixture.define({ name: "Wide", base: null, attributes: [next, ...attributes], rights: [] });
    model = new Model(await fixture.r.model.load());
    const names = attributes.map(({ name }) => name);
    const plan = (fields: SerializationField[]) => () =>
      planSerialization({ type: "custom", fields }, { model, visibility: all, className: "Wide" });
    const refusal = expect.objectContaining({ code: 307, detail: expect.stringContaining("At most 200") });
    expect(plan(names)).not.toThrow();
    expect(plan([...names, "Next"])).toThrow(refusal);
    expect(plan([{ name: "Next", fields: names.slice(1) }])).not.toThrow();
    expect(plan([{ name: "Next", fields: names.slice(1) }, "A0"])).toThrow(refusal);
    expect(plan(["A0", { name: "Next", fields: names.slice(1) }])).toThrow(refusal);
  });

  test("refuses collections with more than 100,000 members to read", async () => {
    const members = (start: number) =>
      Array.from({ length: 60_000 }, (_, index) => (100_000 + start + index).toString(36).toUpperCase());
    await fixture.insert(
      { className: "Order", attributes: { Positions: members(0) } },
      { className: "Order", attributes: { Positions: members(60_000) } },
    );
    await expect(custom([{ name: "Positions", perPage: 1 }])).rejects.toMatchObject({ code: 307 });
    await expect(custom(["Positions"])).rejects.toMatchObject({ code: 307 });
    expect(reads).toEqual([]);
  });

  test("writes the attributes of each class of a subtree", async () => {
    const base = { name: "Base", base: null, attributes: [{ name: "Name", type: "string" as const }], rights: [] };
    const one = { name: "One", base: "Base", attributes: [{ name: "Other", type: "string" as const }], rights: [] };
    const two = {
      name: "Two",
      base: "Base",
      attributes: [{ name: "Other", type: "reference" as const, target: "Customer" }],
      rights: [],
    };
    await fixture.define(base, one, two);
    model = new Model(await fixture.r.model.load());
    await fixture.insert(
      { className: "One", attributes: { Other: "text" } },
      { className: "Two", attributes: { Other: ids.customer } },
    );
    const { objects: roots } = await fixture.r.objects.find({ classes: ["One", "Two"] }, all, { offset: 0, limit: 10 });
    const plan = planSerialization(
      { type: "custom", fields: ["Other.Name"] },
      { model, visibility: all, className: "Base" },
    );
    const source = {
      objects: fixture.r.objects,
      visibility: all,
      storeTime: new StoreTime("UTC"),
      answerBytes: defaultAnswerBytes,
    };
    expect(await new ObjectSerializer(source, plan).serialize(roots)).toMatchObject([
      { Other: "text" },
      { Other: { Name: "Child" } },
    ]);
  });
});
