import fc from "fast-check";
import { parseJson, parseNumber } from "../../src/data/exact-number.ts";
import {
  conditionsOf,
  FilterError,
  type FilterNode,
  filterOf,
  operators,
  parseFilter,
} from "../../src/data/filter/filter-tree.ts";
import { resolvedDate } from "../../src/data/filter/relative-date.ts";

const path = fc.constantFrom("Name", "Customer.City", "~StoreTime", "constructor", "Amount");
const operand = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 2 }),
);
const condition = fc.record({
  kind: fc.constant("condition" as const),
  path,
  operator: fc.constantFrom(...operators),
  operand,
});
const { tree } = fc.letrec<{ tree: FilterNode }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    condition,
    fc.record({
      kind: fc.constant("group" as const),
      mode: fc.constantFrom("all" as const, "any" as const, "none" as const),
      members: fc.array(tie("tree"), { maxLength: 3 }),
    }),
  ),
}));

/** The truth of a filter, if that of a condition depends on its place among these truths. */
function truthOf(node: FilterNode, truths: ReadonlyMap<string, boolean>): boolean {
  if (node.kind === "condition") return truths.get(JSON.stringify(filterOf(node))) ?? false;
  const members = node.members.map((member) => truthOf(member, truths));
  if (node.mode === "all") return members.every(Boolean);
  return members.some(Boolean) === (node.mode === "any");
}

describe("filter as JSON and as groups", () => {
  test("what was built is written, read and written again without a difference", () => {
    fc.assert(
      fc.property(tree, (node) => {
        const filter = filterOf(node);
        expect(filterOf(parseFilter(JSON.parse(JSON.stringify(filter))))).toEqual(filter);
      }),
    );
  });

  test("what was read is true for the same objects", () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.boolean()), (node, stream) => {
        const truths = new Map(
          conditionsOf(node).map((each) => [JSON.stringify(filterOf(each)), stream.next().value ?? false]),
        );
        expect(truthOf(parseFilter(filterOf(node)), truths)).toBe(truthOf(node, truths));
      }),
    );
  });

  test.each<[title: string, filter: unknown, expected: unknown]>([
    [
      "several operators",
      { Since: { $gte: "a", $lte: "b" } },
      { $and: [{ Since: { $gte: "a" } }, { Since: { $lte: "b" } }] },
    ],
    ["a json value", { Settings: { a: 1 } }, { Settings: { $eq: { a: 1 } } }],
    ["an empty filter", {}, { $and: [] }],
  ])("%s keeps its meaning", (_title, filter, expected) => {
    const written = filterOf(parseFilter(filter));
    expect(JSON.stringify(written) === "{}" ? { $and: [] } : written).toEqual(expected);
  });

  test.each([[null], [[]], ["text"], [{ $or: {} }], [{ $nor: [] }], [{ Name: { $regex: "a" } }]])(
    "%j is no filter",
    (filter) => {
      expect(() => parseFilter(filter)).toThrow(FilterError);
    },
  );
});

describe("number as text", () => {
  test("every double is read from the text that shows it", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parseNumber(String(number))).toEqual({ number: number === 0 ? 0 : number });
      }),
    );
  });

  test("an integer below 2 to the 69 is read as it is, or refused", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 69n }), (integer) => {
        const parsed = parseNumber(String(integer));
        const isExact = BigInt(Number(integer)) === integer;
        if (isExact) expect(parsed).toEqual({ number: Number(integer) });
        else if ("number" in parsed) expect(String(parsed.number)).toBe(String(integer));
        else expect(parsed).toEqual({ fault: "rounded", nearest: Number(integer) });
      }),
    );
  });

  test.each<[text: string, expected: object]>([
    ["0.10", { number: 0.1 }],
    [" 12 ", { number: 12 }],
    ["1e3", { number: 1000 }],
    ["-0", { number: 0 }],
    [".5", { number: 0.5 }],
    ["9007199254740993", { fault: "rounded", nearest: 9007199254740992 }],
    ["0.1000000000000000055", { fault: "rounded", nearest: 0.1 }],
    ["1e400", { fault: "rounded", nearest: Number.POSITIVE_INFINITY }],
    ["1,5", { fault: "form" }],
    ["", { fault: "form" }],
    [".", { fault: "form" }],
    ["0x10", { fault: "form" }],
    ["Infinity", { fault: "form" }],
  ])("%j", (text, expected) => {
    expect(parseNumber(text)).toEqual(expected);
  });
});

describe("JSON as text", () => {
  test("is the value that it shows", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 2);
        expect(parseJson(text)).toEqual({ value: JSON.parse(text, (_name, each: unknown) => (each === 0 ? 0 : each)) });
      }),
    );
  });

  test.each<[text: string, expected: object]>([
    ['{"a": [1.50, -0, 1e3]}', { value: { a: [1.5, 0, 1000] } }],
    [
      '{"9007199254740993": "9007199254740993, \\"1e400"}',
      { value: { "9007199254740993": '9007199254740993, "1e400' } },
    ],
    ['{"a": [9007199254740993]}', { fault: "rounded" }],
    ['["\\\\", 0.1000000000000000055]', { fault: "rounded" }],
    ["1e400", { fault: "rounded" }],
    ["[1", { fault: "json" }],
    ["[01]", { fault: "json" }],
    ["", { fault: "json" }],
  ])("%j", (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });
});

describe("relative date", () => {
  const now = new Date(2026, 2, 31, 15, 30);
  test.each([
    ["today", "2026-03-31"],
    ["today-7d", "2026-03-24"],
    ["today-1m", "2026-02-28"],
    ["today+1y", "2027-03-31"],
    ["now-90h", new Date(2026, 2, 27, 21, 30).toISOString()],
    ["now", now.toISOString()],
  ])("%s", (text, expected) => {
    expect(resolvedDate(text, now)).toBe(expected);
  });

  test.each(["2026-01-31", "todays", "now-", "today-1x", "", "constructor"])("%j stays", (text) => {
    expect(resolvedDate(text, now)).toBe(text);
  });
});
