import type { ServiceError } from "../../errors/index.ts";
import type { ClientHash } from "../../request/index.ts";
import { PasswordPolicy } from "./password-policy.ts";

const digits = "0123456789abcdef0123456789abcdef";
const digests = { sha256: (text: string) => text, md5: (text: string) => `md5 of ${text}` };
const known = new Set(["md5 of correcthorse", "md5 of Tr0ubador", "fedcba9876543210fedcba9876543210"]);
const verified: string[] = [];

const hasher = {
  hash: async (password: string) => password,
  verify: async (encoded: string | null, password: string) => {
    verified.push(encoded ?? "");
    return encoded === password;
  },
  isOutdated: () => false,
};

const policy = new PasswordPolicy(hasher, digests, { has: (md5) => known.has(md5) });

function outcome(pass: string, clientHash: ClientHash): string {
  try {
    return policy.accept({ pass, clientHash });
  } catch (error) {
    expect((error as ServiceError).code).toBe(320);
    return (error as ServiceError).detail ?? "";
  }
}

const short = "The password has fewer than 8 characters.";
const listed = "The password is in a list of breached passwords.";

test.each<[string, ClientHash, string]>([
  ["sevenee", "md5", short],
  ["eighteen", "md5", "md5 of eighteen"],
  ["eighteen", "none", "eighteen"],
  // Characters, not units of UTF-16.
  ["\u{1f469}".repeat(7), "none", short],
  ["\u{1f469}".repeat(8), "none", "\u{1f469}".repeat(8)],
  // A text as long as an MD5 digest may be one: the server cannot tell.
  [digits, "md5", digits],
  [digits.toUpperCase(), "md5", digits],
  [digits, "none", digits],
  ["correcthorse", "md5", listed],
  ["correcthorse", "none", listed],
  ["CorrectHORSE", "md5", listed],
  ["Tr0ubador", "md5", listed],
  ["tr0ubador", "md5", "md5 of tr0ubador"],
  ["fedcba9876543210fedcba9876543210", "md5", listed],
  ["FEDCBA9876543210fedcba9876543210", "md5", listed],
  ["fedcba9876543210fedcba9876543210", "none", listed],
])("%j under %s gives %j", (pass, clientHash, expected) => {
  expect(outcome(pass, clientHash)).toBe(expected);
});

test("refuses a former password and accepts any other", async () => {
  await expect(policy.acceptUnused(["one", "two"], "two")).rejects.toMatchObject({
    code: 320,
    detail: "The password was used before.",
  });
  verified.length = 0;
  await policy.acceptUnused(["one", "two"], "three");
  expect(verified).toEqual(["one", "two"]);
  await policy.acceptUnused([], "one");
});
