import {
  type ClassDefinition,
  type Filter,
  seesAll,
  ServiceError,
  type SortKey,
  type ValuePath,
  type Visibility,
} from "@sallyport/storage";
import { Model, resolveQuery } from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";

const classes: readonly ClassDefinition[] = [
  {
    name: "Order",
    base: null,
    attributes: [
      { name: "Number", type: "string" },
      { name: "Amount", type: "number" },
      { name: "Paid", type: "boolean" },
      { name: "Day", type: "date" },
      { name: "Place", type: "string", indexed: true },
      { name: "Notes", type: "json" },
      { name: "Customer", type: "reference", target: "Customer" },
      { name: "Parts", type: "collection", target: "Customer" },
      { name: "Paper", type: "file" },
      { name: "Secret", type: "reference", target: "Secret" },
      { name: "Before", type: "reference", target: "Order" },
    ],
    rights: [],
  },
  {
    name: "RushOrder",
    base: "Order",
    attributes: [
      { name: "Until", type: "date" },
      { name: "Mixed", type: "string" },
    ],
    rights: [],
  },
  { name: "SlowOrder", base: "Order", attributes: [{ name: "Mixed", type: "number" }], rights: [] },
  {
    name: "Customer",
    base: null,
    attributes: [
      { name: "Name", type: "string", indexed: true },
      { name: "Parent", type: "reference", target: "Customer" },
    ],
    rights: [],
  },
  { name: "Secret", base: null, attributes: [{ name: "Word", type: "string" }], rights: [] },
];

const everybody: Visibility = {
  classes: new Set(["Order", "RushOrder", "SlowOrder", "Customer"]),
  principals: new Set(["A1"]),
};
const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";

describe("resolveQuery", () => {
  let fixture: Fixture;
  let model: Model;
  let seen: string;
  let hidden: string;

  beforeAll(async () => {
    fixture = await openFixture();
    await fixture.define(...classes);
    model = new Model(await fixture.r.model.load());
    [seen = "", hidden = ""] = (
      await fixture.r.objects.insert([
        { className: "Customer", attributes: {}, uuid },
        { className: "Customer", attributes: {}, readers: ["B2"] },
      ])
    ).map(({ id }) => id);
  });

  const resolve = (query: object, visibility: Visibility = everybody, className = "Order") =>
    resolveQuery(query as Record<string, unknown>, { model, objects: fixture.r.objects, visibility, className });
  const where = async (filter: unknown, visibility?: Visibility) =>
    shown((await resolve({ where: filter }, visibility)).filter);
  const detailOf = async (query: object, visibility?: Visibility): Promise<string> => {
    const error: unknown = await resolve(query, visibility).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof ServiceError) || error.code !== 307)
      throw new Error(`not refused with 307: ${String(error)}`);
    return error.detail ?? "";
  };

  test("resolves an empty query to readable classes, and an empty filter to nothing", async () => {
    expect(await resolve({})).toEqual({ classes: ["Order", "RushOrder", "SlowOrder"], sort: [] });
    expect(await resolve({ where: {}, sort: [] }, { ...everybody, classes: new Set(["RushOrder"]) })).toEqual({
      classes: ["RushOrder"],
      sort: [],
    });
  });

  test.each<[string, true | undefined, string]>([
    ["Place", true, "an indexed attribute"],
    ["Number", undefined, "another attribute"],
    ["Customer.Name", undefined, "an indexed attribute behind a reference"],
    ["~StoreTime", undefined, "a meta-field"],
  ])("tells whether an index serves %s: %s, %s", async (path, indexed, _what) => {
    const { sort = [] } = await resolve({ sort: [path] });
    expect(sort.map((key) => key.path.indexed)).toEqual([indexed]);
  });

  test.each<[unknown, string]>([
    [{ Number: "7" }, "Number = ['7']"],
    [{ Number: "7", Amount: 5 }, "(Number = ['7'] and Amount = [5])"],
    [{ Number: { $eq: "7" } }, "Number = ['7']"],
    [{ Number: null }, "empty Number"],
    [{ Number: { $ne: "7" } }, "not Number = ['7']"],
    [{ Number: { $ne: null } }, "not empty Number"],
    [{ Amount: { $gt: 1, $lte: 2.5 } }, "(Amount gt 1 and Amount lte 2.5)"],
    [{ Paid: { $gte: false } }, "Paid gte false"],
    [{ Amount: { $in: [1, 2] } }, "Amount = [1,2]"],
    [{ Amount: { $in: [1, null] } }, "(Amount = [1] or empty Amount)"],
    [{ Amount: { $nin: [null] } }, "not (Amount = [] or empty Amount)"],
    [{ Amount: { $in: [] } }, "Amount = []"],
    [{ Number: { $like: "a%\\%" } }, "Number like 'a%\\\\%'"],
    [{ Number: { $contains: "a" } }, "Number contains 'a'"],
    [{ Number: { $exists: true } }, "present Number"],
    [{ Number: { $exists: false } }, "not present Number"],
    [{ Day: "2024-02-29T01:00+01:00" }, "Day = ['2024-02-29T00:00:00.000Z']"],
    [{ Day: { $gt: "2024-02-29" } }, "Day gt '2024-02-29'"],
    [{ Notes: { a: 1 } }, "Notes = [{'a':1}]"],
    [{ Notes: {} }, "Notes = [{}]"],
    [{ Notes: { $a: 1, b: 2 } }, "Notes = [{'$a':1,'b':2}]"],
    [{ Notes: { $eq: { $eq: 1 } } }, "Notes = [{'$eq':1}]"],
    [{ Notes: [1] }, "Notes = [[1]]"],
    [{ Parts: null }, "empty Parts"],
    [{ Parts: { $ne: null } }, "not empty Parts"],
    [{ Until: "2024-01-01" }, "Until = ['2024-01-01']"],
    [{ "~ClassName": "Order" }, "~ClassName = ['Order']"],
    [{ "~ClassName": { $like: "%Order" } }, "~ClassName like '%Order'"],
    [{ "~ObjectID": { $gt: "7K" } }, "~ObjectID gt '7K'"],
    [{ "~UUID": uuid.toUpperCase() }, `~UUID = ['${uuid}']`],
    [{ "Customer.Parent.Name": "x" }, "Customer.Parent.Name = ['x']"],
    [{ "Customer.~ObjectID": { $exists: true } }, "present Customer.~ObjectID"],
    [{ "Before.Before.Before.Before.Number": "x" }, "Before.Before.Before.Before.Number = ['x']"],
    [{ $and: [{ Number: "1" }, { Amount: 2 }] }, "(Number = ['1'] and Amount = [2])"],
    [{ $or: [{ Number: "1" }, {}] }, "(Number = ['1'] or true)"],
    [{ $or: [] }, "false"],
    [{ $not: { Number: "1", $or: [{ Amount: 1 }] } }, "not (Number = ['1'] and (Amount = [1]))"],
  ])("%j", async (filter, expected) => {
    expect(await where(filter)).toBe(expected);
  });

  test.each<[string, string]>([
    ["20240229T120000+01:00", "(~StoreTime gte 1709204400000 and ~StoreTime lt 1709204401000)"],
    ["20240229T120000 01:00", "(~StoreTime gte 1709204400000 and ~StoreTime lt 1709204401000)"],
    ["20240229T110000Z", "(~StoreTime gte 1709204400000 and ~StoreTime lt 1709204401000)"],
    ["2024-02-29T11:00:00.000Z", "(~StoreTime gte 1709204400000 and ~StoreTime lt 1709204400001)"],
    ["2024-02-29T11:00:00Z", "(~StoreTime gte 1709204400000 and ~StoreTime lt 1709204401000)"],
    ["2024-02-29T12:00+01:00", "(~StoreTime gte 1709204400000 and ~StoreTime lt 1709204460000)"],
    ["2024-02-29", "(~StoreTime gte 1709164800000 and ~StoreTime lt 1709251200000)"],
  ])("compares the time %s with its own precision", async (text, expected) => {
    expect(await where({ "~StoreTime": text })).toBe(`(${expected})`);
  });

  test("compares times with their whole precision", async () => {
    const time = "2024-02-29T11:00:00Z";
    const of = (operator: string) => where({ "~StoreTime": { [operator]: time } });
    expect(await of("$gt")).toBe("~StoreTime gte 1709204401000");
    expect(await of("$gte")).toBe("~StoreTime gte 1709204400000");
    expect(await of("$lt")).toBe("~StoreTime lt 1709204400000");
    expect(await of("$lte")).toBe("~StoreTime lt 1709204401000");
  });

  test("resolves names of links, and names of invisible objects match nothing", async () => {
    const all = {
      Customer: { $in: [seen, hidden, "ZZZZ", { "~ObjectID": seen }, uuid.toUpperCase(), { "~UUID": uuid }] },
    };
    expect(await where(all)).toBe(`Customer = ['${seen}']`);
    expect(await where(all, seesAll)).toBe(`Customer = ['${seen}','${hidden}']`);
    expect(await where({ Customer: hidden })).toBe("Customer = []");
    expect(await where({ $not: { $or: [{ Customer: { $ne: hidden } }] } })).toBe("not (not Customer = [])");
    expect(await where({ Parts: { $contains: seen } })).toBe(`Parts contains '${seen}'`);
    expect(await where({ Parts: { $contains: { "~UUID": uuid } } })).toBe(`Parts contains '${seen}'`);
    expect(await where({ Parts: { $contains: hidden } })).toBe("false");
    expect(await where({ "Before.Customer": hidden })).toBe("Before.Customer = []");
    expect(await where({ Paper: uuid })).toBe(`Paper = ['${seen}']`);
    expect(await where({ "Paper.Name": "a.pdf" }, seesAll)).toBe("Paper.Name = ['a.pdf']");
    expect(await where({ Customer: null })).toBe("empty Customer");
  });

  test("reveals nothing about classes that the caller cannot read, not even valid names", async () => {
    for (const name of ["Secret.Word", "Secret.Nothing", "Secret.~ObjectID", "Secret.Any.Thing"]) {
      expect(await where({ [name]: "x" })).toBe("false");
      expect(await where({ [name]: { $ne: 5 } })).toBe("not false");
      expect(await where({ [name]: null })).toBe("true");
      expect(await where({ [name]: { $in: ["x", null] } })).toBe("(false or true)");
      expect(await where({ [name]: { $exists: true } })).toBe("false");
      expect(await where({ [name]: { $gt: "x" } })).toBe("false");
      expect(await where({ [name]: { $like: "x" } })).toBe("false");
      expect(await where({ [name]: { $contains: "x" } })).toBe("false");
      expect((await resolve({ sort: [name, "Number"] })).sort?.map(key)).toEqual(["Number"]);
    }
    expect(await where({ Secret: null })).toBe("empty Secret");
    expect(await where({ "Secret.Word": "x" }, seesAll)).toBe("Secret.Word = ['x']");
    expect(await detailOf({ where: { "Secret.Nothing": "x" } }, seesAll)).toBe(
      "at /query/where/Secret.Nothing: There is no attribute with this name.",
    );
  });

  test("restricts by ids, and unknown ids match nothing", async () => {
    expect(shown((await resolve({ oids: ["7K", uuid.toUpperCase(), "8"] })).filter)).toBe(
      `(~ObjectID = ['7K','8'] or ~UUID = ['${uuid}'])`,
    );
    expect(shown((await resolve({ oids: [] })).filter)).toBe("false");
    expect(shown((await resolve({ where: { Amount: 1 }, oids: ["1"] })).filter)).toBe(
      "(Amount = [1] and (~ObjectID = ['1']))",
    );
  });

  test("sorts by names, each in its direction", async () => {
    const { sort } = await resolve({ sort: ["-Number", "Customer.Name", "~StoreTime", "-~ObjectID", "Paid"] });
    expect(sort?.map(key)).toEqual(["-Number", "Customer.Name", "~StoreTime", "-~ObjectID", "Paid"]);
  });

  const conditions = (count: number) => ({ $or: Array.from({ length: count }, () => ({ Amount: 1 })) });
  const nested = (depth: number): object => (depth === 0 ? {} : { $not: nested(depth - 1) });

  const faults: readonly [object, string][] = [
    [{ wher: {} }, "/query/wher: Unknown member of a query."],
    [{ macro: "x" }, "/query/macro: There is no hook with this name for the class."],
    [{ where: 5 }, "/query/where: A filter object is expected."],
    [{ where: null }, "/query/where: A filter object is expected."],
    [{ where: [] }, "/query/where: A filter object is expected."],
    [{ where: { Nothing: 1 } }, "/query/where/Nothing: There is no attribute with this name."],
    [{ where: { number: "1" } }, "/query/where/number: There is no attribute with this name."],
    [{ where: { "": 1 } }, "/query/where/: There is no attribute with this name."],
    [{ where: { "a/b~c\n": 1 } }, "/query/where/a~1b~0c?: There is no attribute with this name."],
    [{ where: { toString: 1 } }, "/query/where/toString: There is no attribute with this name."],
    [{ where: { "~Version": 1 } }, "/query/where/~0Version: There is no attribute with this name."],
    [{ where: { $nor: [] } }, "/query/where/$nor: Unknown operator."],
    [{ where: { $eq: 1 } }, "/query/where/$eq: Unknown operator."],
    [{ where: { Number: { $regex: "a" } } }, "/query/where/Number/$regex: Unknown operator."],
    [{ where: { Number: { $toString: "a" } } }, "/query/where/Number/$toString: Unknown operator."],
    [{ where: { Number: { $not: { $eq: "a" } } } }, "/query/where/Number/$not: Unknown operator."],
    [{ where: { $and: {} } }, "/query/where/$and: An array of filters is expected."],
    [{ where: { $or: [{}, 5] } }, "/query/where/$or/1: A filter object is expected."],
    [{ where: { $not: [] } }, "/query/where/$not: A filter object is expected."],
    [{ where: { Number: 5 } }, "/query/where/Number: A string without"],
    [{ where: { Number: {} } }, "/query/where/Number: A string without"],
    [{ where: { Number: ["a"] } }, "/query/where/Number: A string without"],
    [{ where: { Number: "\0" } }, "/query/where/Number: A string without"],
    [{ where: { Number: "\ud800" } }, "/query/where/Number: A string without"],
    [{ where: { Number: { $gt: null } } }, "/query/where/Number/$gt: A string without"],
    [{ where: { Number: { $in: ["a", 5] } } }, "/query/where/Number/$in/1: A string without"],
    [{ where: { Number: { $in: "a" } } }, "/query/where/Number/$in: An array is expected."],
    [
      { where: { Number: { $in: Array.from({ length: 1_001 }, () => "a") } } },
      "/query/where/Number/$in: At most 1000 elements are allowed.",
    ],
    [{ where: { Number: { $exists: 1 } } }, "/query/where/Number/$exists: true or false is expected."],
    [{ where: { Number: { $like: 5 } } }, "/query/where/Number/$like: A string without"],
    [{ where: { Number: { $like: "a\\" } } }, "/query/where/Number/$like: The pattern ends with an escape character."],
    [
      { where: { Number: { $like: "\\\\\\" } } },
      "/query/where/Number/$like: The pattern ends with an escape character.",
    ],
    [{ where: { Amount: "5" } }, "/query/where/Amount: A finite number is expected."],
    [{ where: { Amount: Number.POSITIVE_INFINITY } }, "/query/where/Amount: A finite number is expected."],
    [{ where: { Amount: { $like: "5" } } }, "/query/where/Amount/$like: $like requires a string attribute."],
    [
      { where: { Amount: { $contains: "5" } } },
      "/query/where/Amount/$contains: $contains requires a string attribute or a collection.",
    ],
    [{ where: { Paid: "true" } }, "/query/where/Paid: true or false is expected."],
    [{ where: { Day: "29.2.2024" } }, "/query/where/Day: A date such as"],
    [{ where: { Day: { $like: "2024%" } } }, "/query/where/Day/$like: $like requires a string attribute."],
    [{ where: { Notes: { $gt: 1 } } }, "/query/where/Notes/$gt: Values of this attribute have no order."],
    [{ where: { Notes: { $eq: { a: "\0" } } } }, "/query/where/Notes/$eq: JSON with numbers that a"],
    [{ where: { Notes: { $eq: [Number.NEGATIVE_INFINITY] } } }, "/query/where/Notes/$eq: JSON with numbers that a"],
    [{ where: { Customer: "not an id" } }, "/query/where/Customer: An id, a UUID, or an object with"],
    [{ where: { Customer: { Name: "x" } } }, "/query/where/Customer: An id, a UUID, or an object with"],
    [{ where: { Customer: { $gt: "7K" } } }, "/query/where/Customer/$gt: Values of this attribute have no order."],
    [
      { where: { Customer: { $contains: "7K" } } },
      "/query/where/Customer/$contains: $contains requires a string attribute or a collection.",
    ],
    [
      { where: { Parts: "7K" } },
      "/query/where/Parts: A collection can only be compared with null. Use $contains to test for a member.",
    ],
    [
      { where: { Parts: { $in: [null, "7K"] } } },
      "/query/where/Parts/$in/1: A collection can only be compared with null",
    ],
    [{ where: { Parts: { $contains: 5 } } }, "/query/where/Parts/$contains: An id, a UUID, or an object with"],
    [{ where: { "~ObjectID": "7k" } }, "/query/where/~0ObjectID: An id is expected."],
    [{ where: { "~UUID": "7K" } }, "/query/where/~0UUID: A UUID is expected."],
    [{ where: { "~StoreTime": 5 } }, "/query/where/~0StoreTime: A time such as"],
    [{ where: { "~StoreTime": { $gt: "yesterday" } } }, "/query/where/~0StoreTime/$gt: A time such as"],
    [{ where: { "~StoreTime": "20240230T120000Z" } }, "/query/where/~0StoreTime: A time such as"],
    [{ where: { "Number.Name": "x" } }, "/query/where/Number.Name: A path can only follow references."],
    [{ where: { "Parts.Name": "x" } }, "/query/where/Parts.Name: A path can only follow references."],
    [{ where: { "Customer.": "x" } }, "/query/where/Customer.: There is no attribute with this name."],
    [{ where: { "Customer..Name": "x" } }, "/query/where/Customer..Name: There is no attribute with this name."],
    [
      { where: { "Before.Before.Before.Before.Before.Number": "x" } },
      "/query/where/Before.Before.Before.Before.Before.Number: A path can follow at most 4 references.",
    ],
    [{ where: { Mixed: "x" } }, "/query/where/Mixed: The attribute has different types in the possible classes."],
    [{ where: conditions(501) }, "/query/where/$or/500/Amount: At most 500 conditions are allowed."],
    [
      { where: { $or: Array.from({ length: 51 }, (_, index) => ({ "Customer.Name": `n${index}` })) } },
      "/query: All paths of a query can follow at most 50 references.",
    ],
    [
      { where: { "Customer.~StoreTime": { $in: Array.from({ length: 26 }, () => "2026-01-31") } } },
      "/query: All paths of a query can follow at most 50 references.",
    ],
    [
      {
        where: { $or: Array.from({ length: 21 }, () => ({ $not: { Customer: null, "Customer.Parent": null } })) },
        sort: ["Customer.Parent.Name"],
      },
      "/query: All paths of a query can follow at most 50 references.",
    ],
    [{ where: nested(20) }, `/query/where${"/$not".repeat(20)}: Filters can be nested at most 20 levels deep.`],
    [{ sort: "Number" }, "/query/sort: An array of names is expected."],
    [{ sort: [5] }, "/query/sort/0: A name is expected."],
    [{ sort: ["Number", "Nothing"] }, "/query/sort/1: There is no attribute with this name."],
    [{ sort: ["--Number"] }, "/query/sort/0: There is no attribute with this name."],
    [{ sort: ["Notes"] }, "/query/sort/0: Values of this attribute have no order."],
    [{ sort: ["-Parts"] }, "/query/sort/0: Values of this attribute have no order."],
    [{ sort: ["Customer"] }, "/query/sort/0: Values of this attribute have no order."],
    [{ sort: Array.from({ length: 11 }, () => "Number") }, "/query/sort: At most 10 sort keys are allowed."],
    [{ oids: "7K" }, "/query/oids: An array of ids is expected."],
    [{ oids: ["7K", "7k"] }, "/query/oids/1: An id or a UUID is expected."],
    [{ oids: [5] }, "/query/oids/0: An id or a UUID is expected."],
    [{ oids: Array.from({ length: 1_001 }, () => "1") }, "/query/oids: At most 1000 ids are allowed."],
  ];
  test.each(faults.map(([query, detail]) => [JSON.stringify(query).slice(0, 150), query, detail] as const))(
    "refuses %s",
    async (_title, query, detail) => {
      expect((await detailOf(query)).slice(0, detail.length + 3)).toBe(`at ${detail}`);
    },
  );

  test("accepts a query at its limits", async () => {
    expect((await resolve({ where: conditions(500) })).filter).toBeDefined();
    expect((await resolve({ where: nested(19) })).filter).toBeDefined();
    const far = Array.from({ length: 24 }, () => ({ "Customer.Name": "a", Customer: null }));
    expect((await resolve({ where: { $or: far }, sort: ["Customer.Parent.Name"] })).filter).toBeDefined();
    expect(
      (await resolve({ where: { Number: { $in: Array.from({ length: 1_000 }, () => "a") } } })).filter,
    ).toBeDefined();
    expect((await resolve({ oids: Array.from({ length: 1_000 }, () => "1") })).filter).toBeDefined();
  });
});

function textOf({ hops, leaf }: ValuePath): string {
  return [...hops.map(({ reference }) => reference), leaf].join(".");
}

function key({ path, descending }: SortKey): string {
  return `${descending ? "-" : ""}${textOf(path)}`;
}

/** A readable filter, without the outermost one. */
function shown(filter: Filter | undefined): string {
  if (filter === undefined) return "true";
  return filter.kind === "all" && filter.filters.length === 1 ? shown(filter.filters[0]) : inside(filter);
}

function inside(filter: Filter): string {
  const quoted = (value: unknown) => JSON.stringify(value).replaceAll('"', "'");
  switch (filter.kind) {
    case "all":
      return filter.filters.length === 0 ? "true" : `(${filter.filters.map(inside).join(" and ")})`;
    case "any":
      return filter.filters.length === 0 ? "false" : `(${filter.filters.map(inside).join(" or ")})`;
    case "not":
      return `not ${inside(filter.filter)}`;
    case "present":
    case "empty":
      return `${filter.kind} ${textOf(filter.path)}`;
    case "oneOf":
      return `${textOf(filter.path)} = ${quoted(filter.values)}`;
    case "compare":
      return `${textOf(filter.path)} ${filter.operator} ${quoted(filter.value)}`;
    case "like":
      return `${textOf(filter.path)} like ${quoted(filter.pattern)}`;
    case "contains":
      return `${textOf(filter.path)} contains ${quoted(filter.value)}`;
  }
}
