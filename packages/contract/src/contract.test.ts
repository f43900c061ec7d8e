import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage/errors";
import { growthOf } from "@sallyport/test-kit/cost/growth";
import fc from "fast-check";
import * as z from "zod";
import { later, parseFields, parseIfMatch, valueOf } from "./fields.ts";
import { parseExactJson } from "./json.ts";
import { serializationParameter } from "./objects/object-parameters.ts";
import {
  buildCounterBlock,
  decodeBase64,
  directions,
  encodeBase64,
  formatEncryptedHeader,
  parseCounterBlock,
  parseEncryptedHeader,
} from "./secure.ts";

test.each([
  [undefined, null],
  ["*", null],
  [" * ", null],
  ['"1"', [1]],
  ['"2147483647"', [2_147_483_647]],
  ['"1","2" ,\t"3"', [1, 2, 3]],
  ['"1-gzip"', [1]],
  ['"4-zstd", "5"', [4, 5]],
  ['"1-br"', []],
  ['W/"1-gzip"', []],
  ['W/"1"', []],
  ['W/"1", "2"', [2]],
  ['"01"', []],
  ['"0"', []],
  ['"-1"', []],
  ['"1.0"', []],
  ['"12345678901"', []],
  ['"abc", "7"', [7]],
  ['"1,2"', []],
  ['""', []],
  ["", []],
  ["1", []],
  ['"1', []],
  ['"1" "2"', []],
  ['"1",', []],
  ['*, "1"', []],
  ['w/"1"', []],
  ["'1'", []],
])("If-Match %j is parsed to %j", (header, versions) => {
  expect(parseIfMatch(header)).toEqual(versions);
});

test("an almost valid If-Match header is parsed in linear time", () => {
  const parse = (length: number) => expect(parseIfMatch(`${'"1" , '.repeat(length)}x`)).toEqual([]);
  // 16 if it is linear, 256 if it is quadratic.
  expect(growthOf(parse, 1_000, 16_000)).toBeLessThan(64);
});

describe("a part that is checked later", () => {
  const part = z.strictObject({ count: z.int({ error: () => "332" }) });
  const within = z.object({ name: z.string(), part: later(part, { order: [332], name: "part" }) });

  test("has its value", () => {
    expect(parseFields(within, { name: "a", part: { count: 1 } }, [])).toEqual({
      name: "a",
      part: { value: { count: 1 } },
    });
  });

  test("has its fault and what was sent, and fails nothing around it", () => {
    const { part: checked } = parseFields(within, { name: "a", part: { count: "1", other: 2 } }, []);
    expect(checked).toMatchObject({ fault: { code: 332, detail: "at /part/count" }, input: { count: "1", other: 2 } });
    expect(() => valueOf(checked)).toThrow(ServiceError);
  });

  test("has a fault if it is missing, unless it is optional", () => {
    const { part: checked } = parseFields(within, { name: "a" }, []);
    expect(checked).toMatchObject({ fault: { code: 307, detail: "at /part" } });
    const optional = z.object({ part: later(part.optional()) });
    expect(parseFields(optional, {}, [])).toEqual({ part: { value: undefined } });
  });

  test("has the refusal of its preparation", () => {
    const refusal = new ServiceError(307, { detail: "at /count: Too deep." });
    const prepared = later(part, {
      prepare: () => {
        throw refusal;
      },
    });
    expect(parseFields(prepared, { count: 1 }, [])).toEqual({ fault: refusal, input: { count: 1 } });
  });

  test("is described as its schema", () => {
    const described = z.toJSONSchema(within, { io: "input" }).properties?.["part"];
    const { $schema: _schema, ...own } = z.toJSONSchema(part, { io: "input" });
    expect(JSON.parse(JSON.stringify(described))).toEqual(own);
  });
});

const schema = z.object({ serialization: serializationParameter });
const parse = (value: unknown) => parseFields(schema, { serialization: JSON.stringify(value) }, []).serialization;

describe("serialization parameter", () => {
  test.each([
    [{}],
    [{ type: "full", depth: 5 }],
    [{ type: "empty" }],
    [{ type: "oid", depth: 0 }],
    [{ type: "macro" }],
    [{ type: "custom", fields: [] }],
    [
      {
        type: "custom",
        fields: [
          "Name",
          "Customer.Name",
          { name: "Positions", page: 0, perPage: 20, fields: ["Text", { name: "Order" }] },
        ],
        depth: 1,
      },
    ],
  ])("accepts %j", (value) => expect(parse(value)).toEqual(value));

  test.each([
    [
      { type: "custom", fieldList: ["Name"] },
      { type: "custom", fields: ["Name"] },
    ],
    [
      { type: "custom", fieldList: ["Name"], fields: ["City"] },
      { type: "custom", fields: ["City"] },
    ],
    [
      { type: "full", depth: 1, macroLevel: 3, getSize: true, securityRights: ["x"] },
      { type: "full", depth: 1 },
    ],
  ])("accepts %j of clients of other servers as %j", (value, expected) => expect(parse(value)).toEqual(expected));

  test.each([
    [{ surprise: 1 }, "/serialization/surprise"],
    [{ type: "macros" }, "/serialization/type"],
    [{ depth: 6 }, "/serialization/depth"],
    [{ fields: [] }, "/serialization/fields"],
    [{ fieldList: ["Name"] }, "/serialization/fields"],
    [{ type: "custom", fieldList: "Name" }, "/serialization/fields"],
    [{ type: "custom" }, "/serialization/fields"],
    [{ type: "custom", fields: ["Name", 5] }, "/serialization/fields/1"],
    [{ type: "custom", fields: [{}] }, "/serialization/fields/0/name"],
    [{ type: "custom", fields: [{ name: "P", page: -1 }] }, "/serialization/fields/0/page"],
    [{ type: "custom", fields: [{ name: "P", perPage: 1_001 }] }, "/serialization/fields/0/perPage"],
    [{ type: "custom", fields: [{ name: "P", "per/Page": 10 }] }, "/serialization/fields/0/per~1Page"],
    [
      { type: "custom", fields: [{ name: "P", fields: ["A", { name: "Q", fields: [{ name: "R", page: "1" }] }] }] },
      "/serialization/fields/0/fields/1/fields/0/page",
    ],
    [{ type: "custom", fields: Array.from({ length: 201 }, () => "A") }, "/serialization/fields"],
  ])("refuses %j with 307 at %s", (value, place) => {
    expect(() => parse(value)).toThrow(new ServiceError(307, { detail: `at ${place}` }));
    expect(() => parse(value)).toThrow(expect.objectContaining({ code: 307, detail: `at ${place}` }));
  });
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const ivPrefix = Uint8Array.of(0x14, 0x5e, 0xe1);

const parts = fc.record({
  direction: fc.constantFrom(directions.toServer, directions.toClient),
  ivPrefix: fc.uint8Array({ minLength: 3, maxLength: 3 }),
  message: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  block: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

test.each([
  [{ direction: 1, ivPrefix, message: 0n, block: 0 }, "01145ee1000000000000000000000000"],
  [{ direction: 2, ivPrefix, message: 2n ** 40n, block: 0 }, "02145ee1000001000000000000000000"],
  [{ direction: 2, ivPrefix, message: 2n ** 64n - 1n, block: 2 ** 32 - 1 }, "02145ee1ffffffffffffffffffffffff"],
  [{ direction: 1, ivPrefix, message: 0x0102030405060708n, block: 0x090a0b0c }, "01145ee10102030405060708090a0b0c"],
] as const)("counter block %p is encoded", (block, expected) => {
  expect(hex(buildCounterBlock(block))).toBe(expected);
});

test("a counter block is decoded as it was encoded", () => {
  fc.assert(
    fc.property(parts, (block) => {
      expect(parseCounterBlock(buildCounterBlock(block))).toEqual(block);
    }),
  );
});

test("decoded counter blocks are encoded back unchanged; refused bytes have a wrong length or direction", () => {
  const first = fc.oneof(fc.constantFrom(1, 2), fc.nat(255));
  fc.assert(
    fc.property(first, fc.uint8Array({ minLength: 13, maxLength: 17 }), (direction, rest) => {
      const bytes = Uint8Array.of(direction, ...rest);
      const block = parseCounterBlock(bytes);
      if (block === undefined) expect(bytes.length !== 16 || ![1, 2].includes(direction)).toBe(true);
      else expect(buildCounterBlock(block)).toEqual(bytes);
    }),
  );
});

test("a counter block is decoded from a view of other bytes, without a reference to them", () => {
  const around = new Uint8Array(40).fill(7);
  around.set(buildCounterBlock({ direction: 2, ivPrefix, message: 5n, block: 1 }), 9);
  const block = parseCounterBlock(around.subarray(9, 25));
  around.fill(0);
  expect(block).toEqual({ direction: 2, ivPrefix, message: 5n, block: 1 });
});

test.each([
  ["direction", { direction: 3 as 1 }],
  ["short prefix", { ivPrefix: new Uint8Array(2) }],
  ["long prefix", { ivPrefix: new Uint8Array(4) }],
  ["negative message", { message: -1n }],
  ["message beyond eight bytes", { message: 2n ** 64n }],
  ["negative block", { block: -1 }],
  ["block beyond four bytes", { block: 2 ** 32 }],
  ["fractional block", { block: 0.5 }],
  ["block that is not a number", { block: Number.NaN }],
])("a counter block with a %s is not encoded", (_name, wrong) => {
  expect(() => buildCounterBlock({ direction: 1, ivPrefix, message: 0n, block: 0, ...wrong })).toThrow(RangeError);
});

const zeros = "AAAAAAAAAAAAAAAAAAAAAA==";

test("the encrypted header contains the version alone, or with a counter block", () => {
  expect(formatEncryptedHeader()).toBe("v=1");
  expect(formatEncryptedHeader({ iv: new Uint8Array(16) })).toBe(`v=1;iv=${zeros}`);
  expect(() => formatEncryptedHeader({ iv: new Uint8Array(15) })).toThrow(RangeError);
});

test("the encrypted header is parsed as it was formatted", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (iv) => {
      expect(parseEncryptedHeader(formatEncryptedHeader({ iv }))).toEqual({ iv: Uint8Array.from(iv) });
    }),
  );
  expect(parseEncryptedHeader("v=1")).toEqual({});
});

test.each([" v=1\t", "V=1", `v=1; iv=${zeros}`, `V=1 ;\tIV=${zeros} `])("encrypted header %j is accepted", (value) => {
  expect(parseEncryptedHeader(value)).toBeDefined();
});

test.each([
  "",
  "1",
  "v",
  "v=",
  "v=2",
  "v=01",
  "v=1.0",
  "v=10",
  "v=1;",
  "v=1;;",
  "v =1",
  "v= 1",
  "v=1,v=1",
  `v=1, v=1;iv=${zeros}`,
  `v=1,iv=${zeros}`,
  `v=1 iv=${zeros}`,
  `iv=${zeros}`,
  `iv=${zeros};v=1`,
  "v=1;iv=",
  "v=1;iv",
  `v=1;iv= ${zeros}`,
  `v=1;iv="${zeros}"`,
  `v=1;iv=${zeros};`,
  `v=1;iv=${zeros};iv=${zeros}`,
  `v=1;iv=${zeros};seq=1`,
  `v=1;v=1;iv=${zeros}`,
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAA",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAA=",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAB==",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAA===",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAAA=",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAA",
  "v=1;iv=AAAAAAAAAA_AAAAAAAAA-A==",
  `v=1;iv=${zeros}\n`,
  "v=1\n",
  "v=1\u00a0",
  "ｖ=1",
  `v=1;iv=${zeros}${" ".repeat(100)}`,
  "v=1;iv=[object Object]",
])("encrypted header %j is refused", (value) => {
  expect(parseEncryptedHeader(value)).toBeUndefined();
});

test("a parsed encrypted header is formatted unchanged, apart from blanks and capitals in names", () => {
  const piece = fc.constantFrom("v=1", "V=1", ";", " ", "iv=", zeros, "=", ",", "A", "2", "\t", "-");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const value = pieces.join("");
      const header = parseEncryptedHeader(value);
      if (header === undefined) return;
      const bare = value.replaceAll(/[ \t]/g, "").replace(/^V/, "v");
      expect(formatEncryptedHeader(header)).toBe(bare);
    }),
    { numRuns: 5_000 },
  );
});

test("an encrypted header that is too long is not parsed", () => {
  const matching = jest.spyOn(RegExp.prototype, "exec");
  try {
    expect(parseEncryptedHeader(`v=1${" ".repeat(1_000_000)};`)).toBeUndefined();
    expect(matching).not.toHaveBeenCalled();
    expect(parseEncryptedHeader("v=1;")).not.toBeNull();
    expect(matching).toHaveBeenCalled();
  } finally {
    matching.mockRestore();
  }
});

test("base64 agrees with the platform's encoder, in both directions", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64"));
      expect(decodeBase64(text)).toEqual(Uint8Array.from(bytes));
    }),
  );
});

test("base64 accepts only the canonical text of its bytes", () => {
  const digits = fc.constantFrom(..."ABQgwz09+/=-_ \n\u{1f600}");
  fc.assert(
    fc.property(fc.array(digits, { maxLength: 12 }), (characters) => {
      const text = characters.join("");
      const bytes = decodeBase64(text);
      if (bytes === undefined) expect(Buffer.from(text, "base64").toString("base64")).not.toBe(text);
      else expect(Buffer.from(bytes).toString("base64")).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["A", "AA", "AAA", "AA=", "AB==", "AAB=", "A===", "====", "AA==AAAA", "AA-_", "AAA=\n", " AAA", "AAÄ="])(
  "base64 %j is refused",
  (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  },
);

describe("exact JSON", () => {
  test.each([
    "9007199254740993",
    "-9007199254740993",
    "123456789012345678901234567890",
    "1e400",
    "-1e400",
    "1e-400",
    "-0",
    "-0.0e5",
    "0.1000000000000000055511151231257827",
  ])("tells %s from the number that a double holds", (number) => {
    for (const text of [number, ` [${number}]`, `{"a": 1, "b":${number}, "c": "x"}`]) {
      const parsed = parseExactJson(text);
      const value = text === number ? parsed : Object.values(parsed as object).find((each) => typeof each === "object");
      expect(value).toBeInstanceOf(Number);
      expect(Number(value)).toBe(Number(number));
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test.each([
    "9007199254740991",
    "123456789012345680000.000",
    "0.30000000000000004",
    "5e-324",
    "1.7976931348623157e308",
    "0.000e99",
    "1000000e-6",
    "-1E-7",
    '"1e400, -0"',
    '{"\\"": "[-0,", "a\\\\": ":1e400", ":-0": -0.5}',
  ])("parses %s as usual", (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
    expect(JSON.stringify(parseExactJson(`[${text}]`))).toBe(JSON.stringify(JSON.parse(`[${text}]`)));
  });

  test.each(["01e5", "1e", "[-0 1]", '{"a": 12345678901234567'])("refuses %s", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});
