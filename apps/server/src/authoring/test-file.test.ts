import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue } from "@sallyport/core";
import { firstDifference, readTests } from "./test-file.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-tests-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string) => {
  writeFileSync(join(folder, "A.test.json"), text);
  return readTests(join(folder, "A.test.json"));
};
const refusal = { title: "a", as: "demo", expect: { code: 307 } };

test("tests are what the file says", async () => {
  await expect(
    read(JSON.stringify([refusal, { ...refusal, input: null, skipChecker: true, apps: ["x"] }])),
  ).resolves.toEqual([
    { ...refusal, skipChecker: false },
    { ...refusal, input: null, skipChecker: true, apps: ["x"] },
  ]);
});

test.each([
  ["[", /A\.test\.json cannot be read: .*JSON/],
  ["[]", /at the top: /],
  [JSON.stringify([{ ...refusal, ass: "demo" }]), /at \/0: Unrecognized key: "ass"/],
  [
    JSON.stringify([refusal, { ...refusal, expect: {} }]),
    /at \/1\/expect: at least one of data, message, code and log$/,
  ],
  [
    JSON.stringify([{ ...refusal, expect: { code: 307, data: {} } }]),
    /at \/0\/expect: either a code, or data and a message$/,
  ],
])("%s is refused with its place", async (text, words) => {
  await expect(read(text)).rejects.toMatchObject({ name: "TrialError", message: expect.stringMatching(words) });
});

test("a file that is not there is told", async () => {
  await expect(readTests(join(folder, "B.test.json"))).rejects.toMatchObject({
    name: "TrialError",
    message: expect.stringMatching(/B\.test\.json cannot be read: ENOENT/),
  });
});

test.each<[JsonValue, JsonValue | undefined]>([
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }], e: 4 } }],
  [[], []],
  [null, null],
  ["x", "x"],
])("%j is found in %j", (expected, found) => {
  expect(firstDifference(expected, found)).toBeNull();
});

test.each<[JsonValue, JsonValue | undefined, string]>([
  [{ a: 1 }, { a: 2 }, "at /a: expected 1, found 2"],
  [{ a: 1 }, {}, "at /a: expected 1, found nothing"],
  [{ a: null }, {}, "at /a: expected null, found nothing"],
  [[1], [1, 2], "at /1: expected nothing, found 2"],
  [[1, 2], [1], "at /1: expected 2, found nothing"],
  [[{ a: 1 }], [{ a: "1" }], 'at /0/a: expected 1, found "1"'],
  [{}, [], "at the top: expected {}, found []"],
  [5, undefined, "at the top: expected 5, found nothing"],
  [{ toString: 1 }, {}, "at /toString: expected 1, found nothing"],
  [JSON.parse('{"__proto__":{"a":1}}') as JsonValue, { a: 1 }, 'at /__proto__: expected {"a":1}, found nothing'],
])("%j is not found in %j", (expected, found, words) => {
  expect(firstDifference(expected, found)).toBe(words);
});
