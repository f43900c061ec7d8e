import { createHash, randomBytes } from "node:crypto";
import type { DigestStream } from "@sallyport/core";
import { ThreadHashes } from "@sallyport/crypto";

let hashes: ThreadHashes;
beforeEach(() => {
  hashes = new ThreadHashes();
});
afterEach(() => hashes.close());

const of = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");
const expected = (bytes: Uint8Array) => ({ sha256: of("sha256", bytes), md5: of("md5", bytes) });
async function feed(stream: DigestStream, bytes: Uint8Array, portion: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += portion) await stream.update(bytes.subarray(at, at + portion));
}

test("digests bytes in portions, and tells at any place", async () => {
  const bytes = randomBytes(1_000);
  const stream = hashes.open(true);
  let position = 0;
  for (const end of [0, 1, 63, 64, 65, 127, 1_000]) {
    await stream.update(bytes.subarray(position, end));
    position = end;
    expect(await stream.digests()).toEqual(expected(bytes.subarray(0, end)));
  }
});

test.each([1_000, 65_536, 999_999, 5_000_000])(
  "more bytes than are on their way at once, %i at a time",
  async (portion) => {
    const bytes = randomBytes(5_000_000);
    const stream = hashes.open(true);
    await feed(stream, bytes, portion);
    expect(await stream.digests()).toEqual(expected(bytes));
  },
);

test("streams at the same time do not disturb one another", async () => {
  const all = Array.from({ length: 8 }, (_, index) => randomBytes(700_000 + index));
  const digests = all.map(async (bytes, index) => {
    const stream = hashes.open(true);
    await feed(stream, bytes, 30_000 + 1_000 * index);
    return stream.digests();
  });
  expect(await Promise.all(digests)).toEqual(all.map(expected));
});

test("a copy goes on by itself, with or without MD5", async () => {
  const [head, one, other] = [randomBytes(100), randomBytes(100), randomBytes(100)];
  const stream = hashes.open(true);
  await stream.update(head);
  const [copy, without] = [stream.copy(true), stream.copy(false)];
  await stream.update(one);
  await copy.update(other);
  stream.close();
  expect(await copy.digests()).toEqual(expected(Buffer.concat([head, other])));
  expect([copy.hasMd5, without.hasMd5, without.copy(true).hasMd5]).toEqual([true, false, false]);
  expect(await without.digests()).toEqual({ ...expected(head), md5: null });
  expect(await hashes.open(false).digests()).toEqual({ ...expected(Buffer.alloc(0)), md5: null });
});

test("checksums continue", () => {
  const bytes = Buffer.from("123456789");
  expect(hashes.checksum(bytes, 0)).toBe(0xcbf43926);
  expect(hashes.checksum(bytes.subarray(4), hashes.checksum(bytes.subarray(0, 4), 0))).toBe(0xcbf43926);
});

test("the end of the thread fails its streams, and no later one is opened", async () => {
  const stream = hashes.open(true);
  const waiting = stream.update(randomBytes(20_000_000));
  const digests = stream.digests();
  digests.catch(() => {});
  await hashes.close();
  await expect(waiting).rejects.toThrow("closed");
  await expect(digests).rejects.toThrow("closed");
  await expect(stream.update(randomBytes(1))).rejects.toThrow("closed");
  await expect(stream.digests()).rejects.toThrow("closed");
  expect(() => hashes.open(true)).toThrow("closed");
});
