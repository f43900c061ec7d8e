import { createHash } from "node:crypto";
import { digestOfChallenge, isVerifier } from "./provider-state.ts";

test("a challenge is the digest of its verifier, as the RFC has it and for any", () => {
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
  ["a character less", "A".repeat(42)],
  ["a character more", "A".repeat(44)],
  ["padding", `${"A".repeat(43)}=`],
  ["the alphabet of base64", `+/${"A".repeat(41)}`],
  ["bits that say nothing", `${"A".repeat(42)}B`],
  ["hexadecimal digits", "a".repeat(64)],
  ["a line end", `${"A".repeat(43)}\n`],
])("%s is no challenge", (_what, text) => expect(digestOfChallenge(text)).toBeNull());

test.each([
  ["a".repeat(42), false],
  ["a".repeat(43), true],
  ["-._~".repeat(32), true],
  ["a".repeat(129), false],
  [`${"a".repeat(42)}+`, false],
  [`${"a".repeat(43)}\n`, false],
  ["\u00e4".repeat(43), false],
])("%.50j is a verifier: %s", (text, is) => expect(isVerifier(text)).toBe(is));
