import type { JsonValue } from "@sallyport/storage";
import fc from "fast-check";
import { packItems, unpackChanges } from "../src/pool/page-transfer.ts";
import { type PackedObject, unpack } from "../src/prelude/packed-page.ts";
import { type Changes, View, Watch } from "../src/prelude/watch.ts";
import { Bench, caller } from "./runtime.ts";

describe("packed", () => {
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

  /** A change of an object by a hook. Returns what the hook saw. */
  type Act = (object: Members) => unknown;

  /** The first three build nothing and are the most likely. */
  const kind = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, fc.integer({ min: 3, max: 10 }));

  const act: fc.Arbitrary<readonly [string, Act]> = fc
    .tuple(fc.constantFrom("Name", "Name", "1", "toString", "__proto__", "Other"), value, kind)
    .map(([name, input, which]) => {
      const acts: readonly (readonly [string, Act])[] = [
        ["read", (object) => object[name]],
        ["set", (object) => (object[name] = input)],
        ["delete", (object) => delete object[name]],
        ["has", (object) => name in object],
        ["own", (object) => Object.getOwnPropertyDescriptor(object, name)],
        ["define", (object) => Reflect.defineProperty(object, name, { value: input, enumerable: true })],
        ["keys", (object) => Object.keys(object).toSorted()],
        ["json", (object) => ({ ...(JSON.parse(JSON.stringify(object)) as object) })],
        // Not in the prototype, which is shared.
        [
          "inside",
          (object) =>
            name !== "__proto__" && typeof object[name] === "object" && object[name] !== null
              ? ((object[name] as Members)["City"] = input)
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

  /** The order in which members are removed has no meaning. */
  function changesOf(watched: Watch): unknown {
    const changes: Changes = [];
    watched.report(changes, 0);
    const [changed] = unpackChanges(JSON.parse(JSON.stringify(changes)) as JsonValue, 1) as unknown as [
      { readonly set: Members; readonly removed: readonly string[] } | null,
    ];
    return changed === null ? null : { set: changed.set, removed: changed.removed.toSorted() };
  }

  function packedOf(items: readonly { readonly json: Members; readonly rest: Members }[]) {
    const { shapes, page } = packItems(items);
    return unpack(JSON.parse(JSON.stringify(shapes)) as typeof shapes, page);
  }

  describe("packed objects", () => {
    it("keep their content", () => {
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

    it("are texts that the engine stores unchanged", () => {
      fc.assert(
        fc.property(fc.array(item, { maxLength: 6 }), (items) => {
          const crossing = packItems(items).page.text;
          expect(Buffer.from(crossing).toString()).toBe(crossing);
          expect(crossing).not.toContain("\0");
        }),
      );
    });

    it("contain repeated names once", () => {
      const json = { Name: "a", Shelf: "b" };
      expect(
        packItems([{ json }, { json }, { json: { Name: "a" } }, { json, rest: {} }]).shapes.map(({ count }) => count),
      ).toEqual([2, 1, 1]);
    });

    it("omit undefined members", () => {
      const { shapes } = packItems([{ json: { Name: undefined, Shelf: "b" } }]);
      expect(shapes).toEqual([{ count: 1, written: ["Shelf"], rest: [] }]);
    });
  });

  describe("a packed object in a hook", () => {
    it("behaves like any other object and returns the same changes", () => {
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

    it("behaves like any other object after many writes", () => {
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

    it("shows all attributes read-only", () => {
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
    it("are grouped by object", () => {
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
    ])("are refused if they are malformed: %j", (packed) => expect(() => unpackChanges(packed, 1)).toThrow(TypeError));
  });
});

describe("hostile pages", () => {
  /** Attacks by the author of a hook on the objects of a page and on the memory of the next invocation. */

  const bench = new Bench();
  afterAll(() => bench.runtime.close());

  const hook = (run: string, before = "") =>
    `import { defineHook } from "@sallyport/macros";\n${before}\nexport default defineHook({ on: "xRestApi_BuildSerialization", classes: ["Page"], run(object, json) { ${run} } });`;
  const json = (number: number) => ({ "~ObjectID": String(number), Title: `page ${number}`, Facts: { a: [number] } });
  const items = [
    { json: json(1), rest: { More: "one" } },
    { json: json(2), rest: { More: "two" } },
  ];
  const build = async (run: string, before = "", input: JsonValue = items): Promise<JsonValue | undefined> =>
    (await bench.invoke(hook(run, before), { driver: "buildSerialization", argument: { items: input, caller } }))
      .result;

  afterEach(async () => {
    expect(await build("json.Title = object.Title + object.More + object.Facts.a;")).toEqual([
      { set: { Title: "page 1one1" }, removed: [] },
      { set: { Title: "page 2two2" }, removed: [] },
    ]);
  });

  it.each([
    [
      "members of lists",
      "for (let n = 0; n < 9; n += 1) Object.defineProperty(Array.prototype, n, { get() { return 'forged'; }, set() {}, configurable: true });",
    ],
    [
      "methods of lists",
      "for (const name of Object.getOwnPropertyNames(Array.prototype)) if (name !== 'length') Array.prototype[name] = () => 'forged';",
    ],
    [
      "lists of integers",
      "for (const of of [Int32Array, Object.getPrototypeOf(Int32Array), ArrayBuffer]) Object.setPrototypeOf(of.prototype, { get 0() { throw 1; } }); Int32Array = ArrayBuffer = null;",
    ],
    [
      "species",
      "for (const of of [Array, ArrayBuffer, Promise, Object.getPrototypeOf(Int32Array)]) Object.defineProperty(of, Symbol.species, { get() { throw new Error('species'); } });",
    ],
    [
      "texts",
      "for (const name of ['slice', 'substring', 'at', 'charAt', 'toString', 'valueOf']) String.prototype[name] = () => 'forged';",
    ],
    [
      "traps",
      "for (const name of ['get', 'set', 'has', 'apply', 'ownKeys', 'construct', 'deleteProperty', 'getOwnPropertyDescriptor']) Object.prototype[name] = Reflect[name] = () => 'forged';",
    ],
    [
      "functions",
      "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => () => 'forged'; Proxy = null; Symbol.iterator;",
    ],
  ])("are unaffected when a hook replaces %s", async (_what, before) => {
    const result = await build("json.Title = `${object.Title}/${object.More}`; delete json.Facts;", before).catch(
      ({ name }: Error) => name,
    );
    const whole = items.map(({ json: { Title }, rest: { More } }) => ({
      set: { Title: `${Title}/${More}` },
      removed: ["Facts"],
    }));
    // A hook that breaks the language breaks only its own changes.
    expect([whole, [null, null], "MacroFault"]).toContainEqual(result);
  });

  it.each([
    ["of an unknown object", [2, "Title", 1]],
    ["before the first object", [-3, "Title", 1]],
    ["between two objects", [0.5, "Title", 1]],
    ["of a text", ["0", "Title", 1]],
    ["of a name of all objects", ["__proto__", "Title", 1]],
    ["of the length of a list", ["length", "Title", 1]],
    ["without a value", [0, "Title"]],
    ["without a name", [0, 1, 1]],
    ["of a list instead of a name", [-1, ["Title"], null]],
    ["that are not a list", { length: 3, 0: 0, 1: "Title", 2: 1 }],
    ["of nothing", { removed: [] }],
    ["that remove an unknown member", [-8, "Title", null]],
    ["that are a text", "forged"],
    ["that are a number", 1],
    ["that are missing", null],
  ])("refuse forged changes %s", async (_what, forged) => {
    expect(() => unpackChanges(forged as JsonValue, 2)).toThrow(TypeError);
    const before = `Object.defineProperty(Object.prototype, "toJSON", { value() { return Array.isArray(this) ? JSON.parse(${JSON.stringify(JSON.stringify(forged))}) : this; } });`;
    await expect(build("json.Title = 'x';", before)).rejects.toMatchObject({ name: "MacroFault", kind: "result" });
  });

  it("keep neighbouring texts apart at every boundary", async () => {
    const texts = [
      "\ufeffa",
      "\ud83d",
      "\ude00",
      "\ud83d\ude00",
      "",
      "\ufeff",
      "é",
      "\uffff",
      "\u2028",
      '"',
      "null",
      "\u{10ffff}",
      "\ufffe",
    ];
    const page = (all: readonly string[]) =>
      all.map((Title) => ({ json: { Title, Next: Title }, rest: { More: Title } }));
    const seen = (input: JsonValue) => build("json.Seen = [object.Title, json.Next, object.More];", "", input);
    const whole = (all: readonly string[]) =>
      all.map((Title) => ({ set: { Seen: [Title, Title, Title] }, removed: [] }));
    expect(await seen(page(texts))).toEqual(whole(texts));
    const withZeros = [...texts, "\0", "a\0b"];
    expect(await seen(page(withZeros))).toEqual(whole(withZeros));
  });

  it("reveal nothing of later objects through kept ones, and ignore later changes", async () => {
    const run =
      "const { kept } = globalThis; globalThis.kept = json; if (kept) { kept.Title = object.Title; delete kept.Facts; json.Before = kept['~ObjectID']; }";
    expect(await build(run)).toEqual([null, { set: { Before: "1" }, removed: [] }]);
    expect(await build("json.Left = typeof globalThis.kept;")).toEqual([
      { set: { Left: "undefined" }, removed: [] },
      { set: { Left: "undefined" }, removed: [] },
    ]);
  });

  it("have empty memory after former executions, failed or not", async () => {
    const fill =
      "const all = []; for (let n = 0; n < 50; n += 1) all.push(new Uint8Array(200_000).fill(0xa5)); globalThis.kept = new WeakRef(all); new FinalizationRegistry(() => log('late')).register(all, 1); Promise.resolve().then(() => log('late'));";
    const look =
      // Word by word in a plain loop: a callback per byte takes most of the second of an execution.
      "let found = 0; for (let n = 0; n < 50; n += 1) { const words = new Uint32Array(50_000); for (let at = 0; at < 50_000; at += 1) if (words[at] !== 0) { found += 1; break; } } return [found, typeof globalThis.kept];";
    for (const end of [
      "return 1;",
      "throw new Error('no');",
      "const f = () => f(); f();",
      "for (;;) all.push(new Uint8Array(200_000).fill(0xa5));",
    ]) {
      await bench.run(`${fill} ${end}`).catch(() => {});
      expect([await bench.run(look), bench.lines]).toEqual([[0, "undefined"], []]);
    }
  });

  it("expose no callable function of the prelude in a stack trace", async () => {
    const body = `let asked = 0; Error.prepareStackTrace = (_error, frames) => { asked += 1; return frames; };
    const traces = []; try { null.x; } catch (error) { traces.push(error.stack); } traces.push(new Error("x").stack);
    const callers = (function f() { try { return typeof f.caller; } catch { return "none"; } })();
    return [traces.flat().filter((frame) => typeof frame?.getFunction?.() === "function").length, callers];`;
    expect(await bench.run(body)).toEqual([0, expect.stringMatching(/^(?:none|undefined|object)$/)]);
  });
});
