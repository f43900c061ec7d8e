import { createHash } from "node:crypto";
import { confusableKeyOf, loginNameOf } from "../../storage/index.ts";
import { clientPassword } from "./verify-password.ts";

const digests = {
  sha256: (text: string) => createHash("sha256").update(text).digest("hex"),
  md5: (text: string) => createHash("md5").update(text).digest("hex"),
};

describe("clientPassword", () => {
  const demo = "fe01ce2a7fbac8fafaed7c982a04e229";

  test.each([
    ["the digest itself", demo],
    ["the digest in capitals", demo.toUpperCase()],
    ["the plain text", "demo"],
  ])("takes %s for the same password", (_name, pass) => {
    expect(clientPassword(pass, "md5", digests)).toBe(demo);
  });

  test("hashes 32 characters that are not all hexadecimal digits", () => {
    const pass = `${demo.slice(0, 31)}g`;
    expect(clientPassword(pass, "md5", digests)).toBe(digests.md5(pass));
  });

  test("leaves the password alone when clients do not hash", () => {
    expect(clientPassword("demo", "none", digests)).toBe("demo");
  });
});

describe("user names", () => {
  test("are compared in composed form", () => {
    expect(loginNameOf("Rene\u0301")).toBe("Ren\u00e9");
  });

  test.each([
    ["Demo", "demo"],
    [" demo", "demo"],
    ["de mo", "demo"],
    ["de\u00a0mo", "demo"],
    ["ｄｅｍｏ", "demo"],
    ["REN\u00c9", "rene\u0301"],
    ["stra\u00dfe", "STRASSE"],
    ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"],
    ["adm\u200bin", "admin"],
  ])("%j is confusable with %j", (one, other) => {
    expect(confusableKeyOf(loginNameOf(one))).toBe(confusableKeyOf(loginNameOf(other)));
  });

  test("that differ by a letter are not confusable", () => {
    expect(confusableKeyOf("demo")).not.toBe(confusableKeyOf("dem0"));
  });
});
