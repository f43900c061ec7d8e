import { randomBytes, createHmac, createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dictionary } from "@zxcvbn-ts/language-common";
import fc from "fast-check";
import { AesGcmKeyWrapping } from "./aes-gcm-key-wrapping.ts";
import { NodeDigests, NodeRandomSource } from "./digests-and-random.ts";
import { OtplibTimeTokens } from "./otplib-time-tokens.ts";
import { ListedBreachedPasswords } from "./passwords.ts";
import { type ResumableHash } from "@sallyport/core";
import { WasmHashes } from "./wasm-hashes.ts";

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

describe("otplib time tokens", () => {
  const tokens = new OtplibTimeTokens();

  /** "12345678901234567890" in Base32. */
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  /** RFC 6238, appendix B, SHA-1: eight digits, of which a six-digit token has the last ones. */
  const vectors = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ] as const;

  test.each(vectors)("at %i the token is the end of %s from the RFC", (seconds, digits) => {
    expect(tokens.stepOf(secret, digits.slice(2), seconds * 1_000, -1)).toBe(Math.floor(seconds / 30));
  });

  /** The same in terms of RFC 4226, without the library. */
  function tokenOf(key: Buffer, step: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const digest = createHmac("sha1", key).update(counter).digest();
    const start = (digest.at(-1) ?? 0) & 15;
    return String((digest.readUInt32BE(start) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
  }

  const key = Buffer.from("12345678901234567890");

  /** Numbers that are the same in every run. */
  function* numbers(count: number): Generator<number> {
    let state = 7;
    for (let index = 0; index < count; index += 1) {
      state = (state * 48_271) % 2_147_483_647;
      yield state;
    }
  }

  test("a token is valid in its own step and in the adjacent ones, to the millisecond, and in no other", () => {
    for (const number of numbers(300)) {
      const step = 10 + (number % 90_000_000);
      const token = tokenOf(key, step);
      const begins = step * 30_000;
      for (const at of [
        begins - 30_000,
        begins - 1,
        begins,
        begins + (number % 30_000),
        begins + 30_000,
        begins + 59_999,
      ]) {
        expect([step, tokens.stepOf(secret, token, at, -1)]).toEqual([step, step]);
      }
      for (const at of [begins - 30_001, begins + 60_000]) {
        const others = [-1, 0, 1].map((by) => tokenOf(key, Math.floor(at / 30_000) + by));
        if (!others.includes(token)) expect([step, tokens.stepOf(secret, token, at, -1)]).toEqual([step, null]);
      }
    }
  });

  test("only a step after the last one is found, and the later one of two with the same token", () => {
    const step = 50_000_000;
    for (const after of [step, step + 1, step + 2])
      expect(tokens.stepOf(secret, tokenOf(key, step), step * 30_000, after)).toBeNull();
    expect(tokens.stepOf(secret, tokenOf(key, step), step * 30_000, step - 1)).toBe(step);
  });

  test("only six digits are a token", () => {
    const at = 50_000_000 * 30_000;
    const token = tokenOf(key, 50_000_000);
    const wide = [...token].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("");
    const arabic = [...token].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join("");
    const others = [
      "",
      token.slice(1),
      `0${token}`,
      `${token}0`,
      ` ${token}`,
      `${token}\n`,
      `+${token.slice(1)}`,
      `${token.slice(0, 5)}.`,
      wide,
      arabic,
      "\0".repeat(6),
      token.repeat(1_000),
    ];
    for (const other of others) expect([other, tokens.stepOf(secret, other, at, -1)]).toEqual([other, null]);
  });

  test("secrets are 160 random bits, and their address has the names of the service and of the user", () => {
    const secrets = new Set(Array.from({ length: 100 }, () => tokens.newSecret()));
    expect(secrets.size).toBe(100);
    for (const each of secrets) expect(each).toMatch(/^[A-Z2-7]{32}$/);
    const address = new URL(tokens.address({ secret, issuer: "My database", label: "größe:a&b" }));
    expect([address.protocol, address.host, decodeURIComponent(address.pathname)]).toEqual([
      "otpauth:",
      "totp",
      "/My database:größe:a&b",
    ]);
    expect(address.searchParams.get("secret")).toBe(secret);
    expect(address.searchParams.get("issuer")).toBe("My database");
  });
});

describe("resumable hashes", () => {
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
});
