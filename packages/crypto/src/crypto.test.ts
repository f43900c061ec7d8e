import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dictionary } from "@zxcvbn-ts/language-common";
import fc from "fast-check";
import { AesGcmFileCipher } from "./aes-gcm-file-cipher.ts";
import { AesGcmKeyWrapping } from "./aes-gcm-key-wrapping.ts";
import { NodeDigests, NodeRandomSource } from "./digests-and-random.ts";
import { ListedBreachedPasswords } from "./passwords.ts";

describe("aes gcm key wrapping", () => {
  const masterKey = randomBytes(32);
  const wrapping = new AesGcmKeyWrapping(masterKey);
  const secret = Buffer.from("a secret of a few bytes");

  test("unwraps its own output for the same purpose only", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (plain, purpose, other) => {
        const wrapped = wrapping.wrap(plain, purpose);
        expect(wrapped).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(Buffer.from(wrapped, "base64url")).toHaveLength(plain.length + 29);
        expect(wrapping.unwrap(wrapped, purpose)).toEqual(Uint8Array.from(plain));
        if (other !== purpose) expect(wrapping.unwrap(wrapped, other)).toBeUndefined();
      }),
    );
  });

  test("unwraps after a restart with the same master key, not with another", () => {
    const wrapped = wrapping.wrap(secret, "server key");
    expect(new AesGcmKeyWrapping(Buffer.from(masterKey)).unwrap(wrapped, "server key")).toEqual(new Uint8Array(secret));
    expect(new AesGcmKeyWrapping(randomBytes(32)).unwrap(wrapped, "server key")).toBeUndefined();
  });

  test("unwraps and rewraps texts of the master key and the former ones, and of no other", () => {
    const keys = Array.from({ length: 5 }, () => randomBytes(32));
    const list = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 });
    fc.assert(
      fc.property(list, fc.nat(4), fc.uint8Array({ maxLength: 40 }), ([master = 0, ...former], sealer, plain) => {
        const keyOf = (index: number) => keys[index] as Buffer;
        const listed = new AesGcmKeyWrapping(keyOf(master), former.map(keyOf));
        const wrapped = new AesGcmKeyWrapping(keyOf(sealer)).wrap(plain, "server key");
        const isKnown = [master, ...former].includes(sealer);
        expect(listed.unwrap(wrapped, "server key")).toEqual(isKnown ? Uint8Array.from(plain) : undefined);
        expect(listed.unwrap(wrapped, "file key")).toBeUndefined();
        const rewrapped = listed.rewrap(wrapped, "server key");
        expect(rewrapped === wrapped).toBe(sealer === master);
        if (rewrapped === undefined) expect(isKnown).toBe(false);
        else
          expect(new AesGcmKeyWrapping(keyOf(master)).unwrap(rewrapped, "server key")).toEqual(Uint8Array.from(plain));
        expect(listed.rewrap(wrapped, "file key")).toBeUndefined();
        const own = listed.wrap(plain, "server key");
        expect(new AesGcmKeyWrapping(keyOf(master)).unwrap(own, "server key")).toEqual(Uint8Array.from(plain));
      }),
    );
  });

  test("unwraps a text of version 1", () => {
    const known = new AesGcmKeyWrapping(Buffer.alloc(32, 7));
    const wrapped = "AQABAgMEBQYHCAkKC4Cik6UKpkX5-yD-1Vp2-wju9547-A";
    expect(Buffer.from(known.unwrap(wrapped, "a purpose") ?? []).toString()).toBe("known");
  });

  test("wraps differently every time", () => {
    const nonces = Array.from({ length: 500 }, () => wrapping.wrap(secret, "server key").slice(0, 18));
    expect(new Set(nonces).size).toBe(500);
  });

  test("refuses a text with any changed bit", () => {
    const bytes = Buffer.from(wrapping.wrap(secret, "server key"), "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(wrapping.unwrap(changed.toString("base64url"), "server key")).toBeUndefined();
    }
  });

  test("refuses every other length and spelling", () => {
    const wrapped = wrapping.wrap(secret, "server key");
    for (let length = 0; length < wrapped.length; length++) {
      expect(wrapping.unwrap(wrapped.slice(0, length), "server key")).toBeUndefined();
    }
    const base64 = Buffer.from(wrapped, "base64url").toString("base64");
    const alike = [
      `${wrapped}A`,
      `${wrapped}=`,
      `${wrapped}AAAA`,
      ` ${wrapped}`,
      `${wrapped}\n`,
      `${wrapped}.`,
      `=${wrapped}`,
      `${base64}==`,
    ];
    for (const text of alike) expect(wrapping.unwrap(text, "server key")).toBeUndefined();
  });

  test("refuses another spelling of unused bits", () => {
    const wrapped = wrapping.wrap(Buffer.of(1, 2), "server key");
    const last = wrapped.codePointAt(wrapped.length - 1) ?? 0;
    const other = wrapped.slice(0, -1) + String.fromCodePoint(last + 1);
    expect(Buffer.from(other, "base64url").equals(Buffer.from(wrapped, "base64url"))).toBe(true);
    expect(wrapping.unwrap(other, "server key")).toBeUndefined();
  });

  test("accepts at most 65,536 bytes", () => {
    const most = randomBytes(65_536);
    expect(wrapping.unwrap(wrapping.wrap(most, "p"), "p")).toEqual(new Uint8Array(most));
    expect(() => wrapping.wrap(randomBytes(65_537), "p")).toThrow(RangeError);
    expect(wrapping.unwrap("A".repeat(10_000_000), "p")).toBeUndefined();
  });

  test("separates any number of purposes", () => {
    const purposes = Array.from({ length: 600 }, (_, index) => `secure token|database${index}`);
    const wrapped = purposes.map((purpose) => wrapping.wrap(Buffer.from(purpose), purpose));
    for (const [index, purpose] of purposes.entries()) {
      const text = wrapped[index] ?? "";
      expect(Buffer.from(wrapping.unwrap(text, purpose) ?? []).toString()).toBe(purpose);
      expect(wrapping.unwrap(text, purposes[index + 1] ?? "none")).toBeUndefined();
    }
  });

  test.each([0, 16, 31, 33, 64])("refuses a master key of %i bytes", (length) => {
    expect(() => new AesGcmKeyWrapping(randomBytes(length))).toThrow(RangeError);
  });
});

describe("digests and random", () => {
  const digests = new NodeDigests();

  test.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "d41d8cd98f00b204e9800998ecf8427e"],
    ["demo", "2a97516c354b68848cdbd8f54a226a0a55b21ed138e207ad6c5cbb9c00aa5aea", "fe01ce2a7fbac8fafaed7c982a04e229"],
    ["Jürgen", "c58fb672c97fba72a3a3f7f01b564d5602f721bd80ff899c0c7ccc187fa59817", "ebaf432fe1d5fc33effaa72d7abd3e3b"],
  ])("digests %j", (text, sha256, md5) => {
    expect(digests.sha256(text)).toBe(sha256);
    expect(digests.md5(text)).toBe(md5);
  });

  test("a random secret has 256 bits as base64url, and is never the same", () => {
    const random = new NodeRandomSource();
    const secrets = Array.from({ length: 1_000 }, () => random.secret());
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set(secrets).size).toBe(secrets.length);
  });
});

describe("listed breached passwords", () => {
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
});

const wrapping = new AesGcmKeyWrapping(Buffer.alloc(32, 7));
const cipher = new AesGcmFileCipher(wrapping, { encryptsNew: true });
const name = { file: "0".repeat(32), segment: "1".repeat(32) };

describe.each([
  { format: 1, frame: 65_536, newKey: () => wrapping.wrap(randomBytes(32), "file key") },
  { format: 2, frame: 262_144, newKey: () => cipher.newKey() as string },
])("encryption of files in format $format", ({ format, frame, newKey }) => {
  const key = newKey();
  const segment = cipher.ofSegment(key, name);
  const tag = 16;
  const content = frame - tag;
  const source = randomBytes(3 * content + 7);

  async function* inPortions(bytes: Uint8Array, portion: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes.length; at += portion) yield bytes.subarray(at, at + portion);
  }
  async function encrypted(bytes: Uint8Array, portion = 50_000, by = segment): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of by.encrypt(inPortions(bytes, portion))) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The bytes in front of the first failure, and its code. */
  async function decrypted(frames: Uint8Array, length: number, { by = segment, range = { offset: 0, length } } = {}) {
    const parts: Uint8Array[] = [];
    try {
      for await (const part of by.decrypt(inPortions(frames, 30_000), range, length)) parts.push(part);
      return { code: 0, bytes: Buffer.concat(parts) };
    } catch (error) {
      return { code: (error as { code: number }).code, bytes: Buffer.concat(parts) };
    }
  }
  /** A failure. Only right bytes come out before it. */
  const expectDamaged = async (frames: Uint8Array, length: number) => {
    const { code, bytes } = await decrypted(frames, length);
    expect([code, bytes.equals(source.subarray(0, bytes.length))]).toEqual([708, true]);
    return bytes.length;
  };

  test.each([0, 1, content - 1, content, content + 1, 2 * content - 1, 2 * content, 2 * content + 1, source.length])(
    "of %d bytes adds a tag for each frame, and is undone",
    async (length) => {
      const plain = source.subarray(0, length);
      const stored = await encrypted(plain);
      expect(stored).toHaveLength(length + tag * Math.max(1, Math.ceil(length / content)));
      expect(segment.framesOf({ offset: 0, length }, length)).toEqual({ offset: 0, length: stored.length });
      const { code, bytes } = await decrypted(stored, length);
      expect([code, bytes.equals(plain)]).toEqual([0, true]);
    },
  );

  test("does not depend on the portions, and any range is read from its frames", async () => {
    const edges = [0, 1, content, 2 * content, 3 * content, source.length].flatMap((at) => [at - 1, at, at + 1]);
    const place = fc.oneof(fc.constantFrom(...edges), fc.nat(source.length));
    const stored = await encrypted(source);
    await fc.assert(
      fc.asyncProperty(place, place, fc.integer({ min: 999, max: 600_000 }), async (one, other, portion) => {
        const [offset, end] = [one, other]
          .map((at) => Math.min(Math.max(at, 0), source.length))
          .toSorted((a, b) => a - b);
        if (offset === undefined || end === undefined || offset === end) return;
        const range = { offset, length: end - offset };
        const frames = segment.framesOf(range, source.length);
        const framesEnd = Math.min(Math.ceil(end / content) * frame, stored.length);
        expect([frames.offset, frames.offset + frames.length]).toEqual([
          Math.floor(offset / content) * frame,
          framesEnd,
        ]);
        const part = (await encrypted(source, portion)).subarray(frames.offset, frames.offset + frames.length);
        expect(part.equals(stored.subarray(frames.offset, frames.offset + frames.length))).toBe(true);
        const { code, bytes } = await decrypted(part, source.length, { range });
        expect([code, bytes.equals(source.subarray(offset, end))]).toEqual([0, true]);
      }),
    );
  });

  test("detects every changed bit", async () => {
    const flipped = (bytes: Buffer, bit: number) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return changed;
    };
    const small = await encrypted(source.subarray(0, 20));
    for (let bit = 0; bit < small.length * 8; bit += 1) expect(await expectDamaged(flipped(small, bit), 20)).toBe(0);
    const large = await encrypted(source);
    await fc.assert(
      fc.asyncProperty(fc.nat(large.length * 8 - 1), async (bit) => {
        const before = Math.floor((bit >> 3) / frame) * content;
        expect(await expectDamaged(flipped(large, bit), source.length)).toBe(before);
      }),
    );
  });

  test("detects frames that are missing, repeated, swapped or cut", async () => {
    const stored = await encrypted(source);
    const frames = [0, 1, 2, 3].map((index) => stored.subarray(index * frame, (index + 1) * frame));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 6 }), async (order) => {
        if (order.join() === "0,1,2,3") return;
        await expectDamaged(Buffer.concat(order.map((index) => frames[index] as Buffer)), source.length);
      }),
    );
    for (const cut of [1, tag, frame - 1, frame, stored.length])
      await expectDamaged(stored.subarray(0, stored.length - cut), source.length);
    // A frame that is not the last cannot become it.
    await expectDamaged(stored.subarray(0, 2 * frame), 2 * content);
  });

  test("differs for each segment, file and key", async () => {
    const others = [
      cipher.ofSegment(key, { ...name, segment: "2".repeat(32) }),
      cipher.ofSegment(key, { ...name, file: "2".repeat(32) }),
      cipher.ofSegment(newKey(), name),
    ];
    for (const other of others) {
      const stored = await encrypted(source, 50_000, other);
      expect(await expectDamaged(stored, source.length)).toBe(0);
      expect(stored.subarray(0, 64).equals((await encrypted(source)).subarray(0, 64))).toBe(false);
    }
  });

  test("has the frames that are documented", async () => {
    const fileKey = (wrapping.unwrap(key, "file key") as Uint8Array).slice(-32);
    const info = `sallyport file ${format}|${name.file}/${name.segment}`;
    const segmentKey = new Uint8Array(hkdfSync("sha256", fileKey, "", info, 32));
    const frames = [0, 1, 2, 3].map((number) => {
      const nonce = Buffer.from([number === 3 ? 1 : 0, ...Buffer.alloc(10), number]);
      const sealing = createCipheriv("aes-256-gcm", segmentKey, nonce);
      const sealed = sealing.update(source.subarray(number * content, (number + 1) * content));
      return Buffer.concat([sealed, sealing.final(), sealing.getAuthTag()]);
    });
    expect((await encrypted(source)).equals(Buffer.concat(frames))).toBe(true);
  });
});

describe("keys of encrypted files", () => {
  const key = cipher.newKey() as string;

  test("of the first format open its segments", async () => {
    const known = cipher.ofSegment(
      "AUvz2LaewrAvN_w0LaZ-YwN1_ZJBXNggP8JNmXdGLyBx-rfCoSvRX-XNSObqoKdqyBLPlaiI7gYvUZNf6A",
      name,
    );
    const frames = (async function* () {
      yield Buffer.from("d09b104173be353b3969432291139fbc3806512d2a", "hex");
    })();
    const parts: Uint8Array[] = [];
    for await (const part of known.decrypt(frames, { offset: 0, length: 5 }, 5)) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe("known");
  });

  test("needs the master key that wrapped the key", () => {
    expect(new AesGcmFileCipher(wrapping, { encryptsNew: false }).newKey()).toBeNull();
    const other = new AesGcmFileCipher(new AesGcmKeyWrapping(randomBytes(32)), { encryptsNew: true });
    const none = new AesGcmFileCipher(null, { encryptsNew: true });
    const damaged = `${key.slice(0, 20)}${key[20] === "A" ? "B" : "A"}${key.slice(21)}`;
    for (const open of [
      () => other.ofSegment(key, name),
      () => none.ofSegment(key, name),
      () => none.newKey(),
      () => cipher.ofSegment(damaged, name),
      () => cipher.ofSegment("", name),
      () => cipher.ofSegment(wrapping.wrap(randomBytes(32), "server key"), name),
      () => cipher.ofSegment(wrapping.wrap(randomBytes(31), "file key"), name),
      () => cipher.ofSegment(wrapping.wrap(Buffer.concat([Buffer.of(3), randomBytes(32)]), "file key"), name),
    ])
      expect(open).toThrow(expect.objectContaining({ code: 708 }));
  });
});
