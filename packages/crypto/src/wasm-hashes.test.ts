import { createHash, randomBytes } from "node:crypto";
import type { ResumableHash } from "@sallyport/core";
import { WasmHashes } from "./wasm-hashes.ts";

const hashes = new WasmHashes();
const bytes = randomBytes(10_000);

describe.each(["md5", "sha256"] as const)("%s", (algorithm) => {
  const expected = (end: number) => createHash(algorithm).update(bytes.subarray(0, end)).digest("hex");

  test("continues from any saved state, in another instance", async () => {
    let hash = await hashes.begin(algorithm);
    let position = 0;
    for (const end of [0, 1, 63, 64, 65, 127, 128, 1_000, 9_999, 10_000]) {
      hash.update(bytes.subarray(position, end));
      position = end;
      expect(hash.digest()).toBe(expected(end));
      const saved = hash.save();
      expect(saved.length).toBeLessThanOrEqual(1_000);
      hash = (await hashes.resume(algorithm, saved)) as ResumableHash;
      expect(hash.digest()).toBe(expected(end));
    }
  });

  test("several at once do not disturb one another", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => hashes.begin(algorithm)));
    for (const [index, hash] of all.entries()) hash.update(bytes.subarray(0, index + 1));
    expect(all.map((hash) => hash.digest())).toEqual([1, 2, 3, 4].map(expected));
  });

  test("a state of something else is not continued", async () => {
    const saved = (await hashes.begin(algorithm)).save();
    const changed = Buffer.from(saved, "base64");
    changed[0] = (changed[0] ?? 0) ^ 1;
    for (const state of ["", "AAAA", changed.toString("base64"), (await other()).save()])
      expect(await hashes.resume(algorithm, state)).toBeNull();
  });

  const other = () => hashes.begin(algorithm === "md5" ? "sha256" : "md5");
});
