import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dictionary } from "@zxcvbn-ts/language-common";
import { NodeDigests } from "./digests-and-random.ts";
import { ListedBreachedPasswords } from "./passwords.ts";

const { md5 } = new NodeDigests();
const file = new URL("../data/breached-passwords.bin", import.meta.url);
const breached = new ListedBreachedPasswords();
const words = dictionary["passwords-common"] ?? [];

test("contains every password of the list, also with a capital letter", () => {
  expect(words.length).toBeGreaterThan(40_000);
  const unknown = words
    .flatMap((word) => [word, word.slice(0, 1).toUpperCase() + word.slice(1)])
    .filter((word) => !breached.has(md5(word)));
  expect(unknown).toEqual([]);
  for (const word of ["password", "Password", "12345678", "qwertyuiop"]) expect(breached.has(md5(word))).toBe(true);
});

test("contains no other password", () => {
  const others = Array.from({ length: 100_000 }, (_, index) => `not listed ${index}`);
  // One of ten million may match by chance; the matches never change.
  expect(others.filter((word) => breached.has(md5(word)))).toEqual([]);
});

test("is small and sorted, and contains nothing else", () => {
  const bytes = readFileSync(file);
  const digests = Array.from({ length: bytes.length / 5 }, (_, index) =>
    bytes.toString("hex", index * 5, index * 5 + 5),
  );
  expect(bytes.length).toBeLessThan(500_000);
  expect(digests).toEqual([...new Set(digests)].toSorted());
  expect(breached.size).toBe(digests.length);
  const listed = new Set(
    words
      .flatMap((word) => [word, word.slice(0, 1).toUpperCase() + word.slice(1)])
      .map((word) => md5(word).slice(0, 10)),
  );
  expect(digests.filter((digest) => !listed.has(digest))).toEqual([]);
});

test("finds the first and the last of a list, and nothing in an empty one", () => {
  const path = join(mkdtempSync(join(tmpdir(), "sallyport-")), "list.bin");
  writeFileSync(path, Buffer.from(["0000000001", "00000000ff", "ffffffffff"].join(""), "hex"));
  const list = new ListedBreachedPasswords(path);
  const has = (start: string) => list.has(start.padEnd(32, "a"));
  expect(["0000000000", "0000000001", "0000000002", "00000000ff", "7f00000000", "ffffffffff"].map(has)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
  writeFileSync(path, "");
  expect(new ListedBreachedPasswords(path).has("0".repeat(32))).toBe(false);
});
