import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTests } from "./test-file.ts";

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
