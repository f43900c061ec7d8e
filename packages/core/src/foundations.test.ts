import { createHash } from "node:crypto";
import { LruCache } from "./digests/lru-cache.ts";
import { catalogue, errorEntry, extensions, isErrorCode } from "./errors/catalogue.ts";
import { ServiceError } from "./errors/service-error.ts";
import { digestOfChallenge, isVerifier } from "./identities/provider-state.ts";

test("a recency cache keeps recently set or read entries, up to twice the configured number", () => {
  const recent = new LruCache<number, string>(10);
  for (let key = 0; key < 100; key += 1) {
    recent.set(key, `value ${key}`);
    expect(recent.get(0)).toBe("value 0");
    for (let last = Math.max(0, key - 3); last <= key; last += 1) expect(recent.get(last)).toBe(`value ${last}`);
  }
  const kept = Array.from({ length: 100 }, (_, key) => recent.get(key)).filter((value) => value !== undefined);
  expect(kept.length).toBeLessThanOrEqual(20);
  expect(recent.get(1)).toBeUndefined();
});

describe("error catalogue", () => {
  test("has ninety entries, and keeps extensions separate", () => {
    expect(catalogue).toHaveLength(90);
    const numbers = new Set<number>(catalogue.map(({ code }) => code));
    expect(extensions.filter(({ code }) => numbers.has(code))).toEqual([]);
  });

  test("lists every code once, in ascending order", () => {
    const codes = catalogue.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].toSorted((a, b) => a - b));
  });

  test.each([...catalogue, ...extensions])("$code has a client or server status, a name and a condition", (entry) => {
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
    expect(entry.name).toMatch(/^[A-Z].*[a-zA-Z]$/);
    expect(entry.condition).toMatch(/^[A-Z`].*\.$/);
  });

  test("looks up its own codes only", () => {
    expect(errorEntry(201)).toMatchObject({ status: 401, name: "Session is invalid" });
    expect([0, 303, 1000, Number.NaN].filter(isErrorCode)).toEqual([]);
  });

  test("gives its status and name to errors", () => {
    const cause = new Error("underneath");
    const error = new ServiceError(706, { retryAfter: 3, detail: "why", cause });
    expect(error).toMatchObject({ code: 706, status: 503, retryAfter: 3, detail: "why", cause });
    expect(error.message).toBe("706 The server is currently unavailable");
  });
});

test("a challenge is the digest of its verifier, as in the RFC's example and in general", () => {
  // RFC 7636, appendix B.
  expect(digestOfChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")).toBe(
    createHash("sha256").update("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").digest("hex"),
  );
  for (let round = 0; round < 500; round += 1) {
    const hash = createHash("sha256").update(`${round}`);
    const copy = hash.copy();
    expect(digestOfChallenge(hash.digest("base64url"))).toBe(copy.digest("hex"));
  }
  expect(digestOfChallenge("A".repeat(43))).toBe("0".repeat(64));
});

test.each([
  ["nothing", ""],
  ["one character less", "A".repeat(42)],
  ["one character more", "A".repeat(44)],
  ["padding", `${"A".repeat(43)}=`],
  ["the alphabet of base64", `+/${"A".repeat(41)}`],
  ["unused bits that are set", `${"A".repeat(42)}B`],
  ["hexadecimal digits", "a".repeat(64)],
  ["a line break", `${"A".repeat(43)}\n`],
])("%s is not a challenge", (_what, text) => expect(digestOfChallenge(text)).toBeNull());

test.each([
  ["a".repeat(42), false],
  ["a".repeat(43), true],
  ["-._~".repeat(32), true],
  ["a".repeat(129), false],
  [`${"a".repeat(42)}+`, false],
  [`${"a".repeat(43)}\n`, false],
  ["\u00e4".repeat(43), false],
])("%.50j is a verifier: %s", (text, is) => expect(isVerifier(text)).toBe(is));
