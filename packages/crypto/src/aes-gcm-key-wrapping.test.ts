import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { AesGcmKeyWrapping } from "./aes-gcm-key-wrapping.ts";

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
