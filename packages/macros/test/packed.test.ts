import type { JsonValue } from "@sallyport/core";
import fc from "fast-check";
import { packItems, unpackChanges } from "../src/pool/page-transfer.ts";
import { type PackedObject, unpack } from "../src/prelude/packed-page.ts";
import { type Changes, View, Watch } from "../src/prelude/watch.ts";

type Members = Record<string, JsonValue>;

const names = ["Name", "Shelf", "1", "constructor", "toString", "~ObjectID", "Ä"];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\0", "\ud800", "a\0b", '{"a":1}', "null"),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  fc.constant(null),
  fc.boolean(),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => number + 0),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.record({ City: text }),
);
const members = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });
const item = fc.tuple(members, members).map(([json, all]) => ({
  json,
  rest: Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(json, name))),
}));

/** Something that a hook does to an object; gives what it saw. */
type Act = (object: Members) => unknown;

/** The first three, which build nothing, are the most likely. */
const kind = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, fc.integer({ min: 3, max: 10 }));

const act: fc.Arbitrary<readonly [string, Act]> = fc
  .tuple(fc.constantFrom("Name", "Name", "1", "toString", "__proto__", "Other"), value, kind)
  .map(([name, given, which]) => {
    const acts: readonly (readonly [string, Act])[] = [
      ["read", (object) => object[name]],
      ["set", (object) => (object[name] = given)],
      ["delete", (object) => delete object[name]],
      ["has", (object) => name in object],
      ["own", (object) => Object.getOwnPropertyDescriptor(object, name)],
      ["define", (object) => Reflect.defineProperty(object, name, { value: given, enumerable: true })],
      ["keys", (object) => Object.keys(object).toSorted()],
      ["json", (object) => ({ ...(JSON.parse(JSON.stringify(object)) as object) })],
      // Not in the prototype, which is that of everybody.
      [
        "inside",
        (object) =>
          name !== "__proto__" && typeof object[name] === "object" && object[name] !== null
            ? ((object[name] as Members)["City"] = given)
            : null,
      ],
      ["none", (object) => ((object as Record<string, unknown>)[name] = undefined)],
      ["seal", (object) => [Object.isExtensible(object), Reflect.preventExtensions(object), Object.isFrozen(object)]],
    ];
    const [title, run] = acts[which] as (typeof acts)[number];
    return [`${title} ${name}`, run] as const;
  });

function attempt(run: Act, object: Members): unknown {
  try {
    const seen = run(object);
    return typeof seen === "function" ? "a function" : structuredClone(seen);
  } catch (error) {
    return (error as Error).name;
  }
}

/** The order in which members were removed means nothing. */
function changesOf(watched: Watch): unknown {
  const changes: Changes = [];
  watched.tell(changes, 0);
  const [changed] = unpackChanges(JSON.parse(JSON.stringify(changes)) as JsonValue, 1) as unknown as [
    { readonly set: Members; readonly removed: readonly string[] } | null,
  ];
  return changed === null ? null : { set: changed.set, removed: changed.removed.toSorted() };
}

function packedOf(items: readonly { readonly json: Members; readonly rest: Members }[]) {
  const { layout, page } = packItems(items);
  return unpack(JSON.parse(JSON.stringify(layout)) as typeof layout, page);
}

describe("objects that cross as one text", () => {
  it("are what they were", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const packed = packedOf(items);
        expect(packed.map((each) => ({ ...new View(each).object }))).toEqual(
          items.map(({ json, rest }) => ({ ...rest, ...json })),
        );
        expect(packed.map((each) => ({ ...new Watch({}, each).object }))).toEqual(items.map(({ json }) => json));
      }),
    );
  });

  it("are texts that the engine takes as they are", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const crossing = packItems(items).page.text;
        expect(Buffer.from(crossing).toString()).toBe(crossing);
        expect(crossing).not.toContain("\0");
      }),
    );
  });

  it("do not say names again that are the same", () => {
    const json = { Name: "a", Shelf: "b" };
    expect(
      packItems([{ json }, { json }, { json: { Name: "a" } }, { json, rest: {} }]).layout.shapes.map(
        ({ from }) => from,
      ),
    ).toEqual([0, 2, 3]);
  });

  it("leave out what is undefined", () => {
    const { layout } = packItems([{ json: { Name: undefined, Shelf: "b" } }]);
    expect(layout.shapes).toEqual([{ from: 0, written: ["Shelf"], rest: [] }]);
  });
});

describe("a packed object in the hands of a hook", () => {
  it("is changed and read like any other, and tells the same changes", () => {
    fc.assert(
      fc.property(item, fc.array(act, { maxLength: 12 }), ({ json, rest }, acts) => {
        const plain = new Watch(structuredClone(json));
        const packed = new Watch({}, packedOf([{ json, rest }])[0]);
        for (const [, run] of acts)
          expect(attempt(run, packed.object as Members)).toEqual(attempt(run, plain.object as Members));
        expect(changesOf(packed)).toEqual(changesOf(plain));
        expect({ ...packed.object }).toEqual({ ...plain.object });
      }),
      { numRuns: 500 },
    );
  });

  it("is changed like any other however much is written", () => {
    const json: Members = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`Was${index}`, index]));
    const [plain, packed] = [new Watch({ ...json }), new Watch({}, packedOf([{ json, rest: {} }])[0])];
    for (const { object } of [plain, packed]) {
      for (let index = 0; index < 40; index += 1) {
        object[`New${index % 35}`] = index;
        object[`Was${index}`] = "other";
        if (index % 3 === 0) delete object[`Was${index}`];
      }
    }
    expect(changesOf(packed)).toEqual(changesOf(plain));
    expect({ ...packed.object }).toEqual({ ...plain.object });
  });

  it("shows all attributes, and lets none be changed", () => {
    fc.assert(
      fc.property(item, fc.array(act, { maxLength: 12 }), ({ json, rest }, acts) => {
        const frozen = Object.freeze({ ...rest, ...structuredClone(json) });
        const view = new View(packedOf([{ json, rest }])[0] as PackedObject).object as Members;
        for (const [, run] of acts) expect(attempt(run, view)).toEqual(attempt(run, frozen as Members));
        expect(Object.isFrozen(view)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("changes of several objects", () => {
  it("are put together by object", () => {
    expect(unpackChanges([2, "Name", "x", 0, "Age", null, 2, "__proto__", 1, -3, "Old", null], 3)).toEqual([
      { set: { Age: null }, removed: [] },
      null,
      { set: JSON.parse('{"Name":"x","__proto__":1}') as object, removed: ["Old"] },
    ]);
  });

  it.each<JsonValue>([
    null,
    5,
    {},
    { set: [] },
    { set: {}, removed: [] },
    [0, "Name"],
    [-1],
    [1, "Name", 1],
    [-2, "Name", 1],
    [0.5, "Name", 1],
    [-0.5, "Name", 1],
    ["0", "Name", 1],
    [0, 5, 1],
    [-1, null, null],
  ])("are not taken when they are none: %j", (packed) => expect(() => unpackChanges(packed, 1)).toThrow(TypeError));
});
