import { createHmac } from "node:crypto";
import { OtplibTimeTokens } from "../src/otplib-time-tokens.ts";

/** Time-based tokens of second factors. */
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
