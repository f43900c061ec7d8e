import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { codeDigest, confirmationCode } from "./change-custom-password.ts";

const digests = new NodeDigests();

test("a code is two groups of letters and digits that nobody takes for others, all as likely", () => {
  const codes = Array.from({ length: 4_000 }, () => confirmationCode(new NodeRandomSource()));
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
  expect(new Set(codes).size).toBe(codes.length);
  const counts = new Map<string, number>();
  for (const letter of codes.join("").replaceAll("-", "")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(32);
  // 1,000 of each are expected; seven standard deviations are less than 250.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
});

test("it takes every byte there is, each for one letter", () => {
  const bytes = (from: number) => ({
    secret: () => "",
    bytes: (length: number) => Uint8Array.from({ length }, (_, index) => from + index),
  });
  expect([
    confirmationCode(bytes(0)),
    confirmationCode(bytes(24)),
    confirmationCode(bytes(32)),
    confirmationCode(bytes(248)),
  ]).toEqual(["ABCD-EFGH", "2345-6789", "ABCD-EFGH", "2345-6789"]);
});

test("it can be typed in any case and with any blanks, and is another account's for nobody", () => {
  const digest = codeDigest(digests, "one", "K7QX-M2RB");
  for (const typed of ["k7qx-m2rb", "K7QXM2RB", " k7qx m2rb\t", "K7QX - M2RB"])
    expect(codeDigest(digests, "one", typed)).toBe(digest);
  for (const [account, typed] of [
    ["other", "K7QX-M2RB"],
    ["one", "K7QX-M2RC"],
    ["one", "K7QX"],
  ] as const)
    expect(codeDigest(digests, account, typed)).not.toBe(digest);
});
