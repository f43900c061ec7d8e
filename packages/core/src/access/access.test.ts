import { createHash } from "node:crypto";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { AppKeyContext } from "../request/index.ts";
import {
  type AuditEvent,
  confusableKeyOf,
  listingsOf,
  loginNameOf,
  type RecordRepository,
  tallyTime,
} from "@sallyport/storage";
import { type PasswordHasher, sentForms, typedPassword, verifyForms } from "./accounts/passwords.ts";
import { ApplicationCache } from "./appkeys/applications.ts";
import { ReplayRecord } from "./channels/message-rules.ts";
import { codeDigest, confirmationCode } from "./custom-users/change-custom-password.ts";

describe("replay record", () => {
  test("tallies later replays of each of the last 10,000 networks", async () => {
    const audited: string[] = [];
    const audit = {
      append: async (_event: AuditEvent, tally?: string) => void audited.push(tally === undefined ? "event" : "tally"),
    };
    let now = 0;
    const record = new ReplayRecord();
    const add = async (network: string) => {
      const database = { now: () => now };
      const context = { r: { audit }, appKey: { id: 1 }, origin: { address: network, network }, database };
      await record.add(context as unknown as AppKeyContext);
      return audited.at(-1);
    };
    expect([await add("first"), await add("first")]).toEqual(["event", "tally"]);
    now = tallyTime;
    expect([await add("first"), await add("first")]).toEqual(["event", "tally"]);
    for (let network = 1; network < 10_000; network += 1) await add(`${network}`);
    expect(await add("first")).toBe("tally");
    await add("10000");
    expect([await add("2"), await add("first")]).toEqual(["tally", "event"]);
  });
});

describe("client password", () => {
  const digests = {
    sha256: (text: string) => createHash("sha256").update(text).digest("hex"),
    md5: (text: string) => createHash("md5").update(text).digest("hex"),
  };

  describe("password of a client", () => {
    const demo = "fe01ce2a7fbac8fafaed7c982a04e229";

    test.each([
      ["the digest itself", demo],
      ["the digest in capitals", demo.toUpperCase()],
      ["the plain text", "demo"],
    ])("treats %s as the same password", (_name, pass) => {
      expect(sentForms(pass, "md5", digests)).toEqual([demo]);
    });

    test("hashes 32 characters that are not all hexadecimal digits", () => {
      const pass = `${demo.slice(0, 31)}g`;
      expect(sentForms(pass, "md5", digests)).toEqual([digests.md5(pass)]);
    });

    test("leaves the password unchanged when clients do not hash", () => {
      expect(sentForms("demo", "none", digests)).toEqual(["demo"]);
      expect(sentForms(demo.toUpperCase(), "none", digests)).toEqual([demo.toUpperCase()]);
    });

    test("is hashed as typed by a tool, in NFC", () => {
      expect(typedPassword(demo, "md5", digests)).toBe(digests.md5(demo));
      expect(typedPassword("e\u0301", "md5", digests)).toBe(digests.md5("\u00e9"));
      expect(typedPassword("e\u0301", "none", digests)).toBe("\u00e9");
    });

    test.each(["md5", "none"] as const)(
      "is verified in both forms at one cost under %s, unless it is in NFC",
      async (hash) => {
        const hashed = (text: string) => (hash === "md5" ? digests.md5(text) : text);
        const forms = sentForms("e\u0301", hash, digests);
        expect(forms).toEqual([hashed("\u00e9"), hashed("e\u0301")]);
        expect(sentForms("\u00e9", hash, digests)).toEqual([hashed("\u00e9")]);
        for (const encoded of [...forms, "another", null]) {
          const verified: (string | null)[][] = [];
          const hasher = {
            verify: async (...input: [string | null, string, string | null]) => {
              verified.push(input);
              return input[0] === input[1];
            },
          } as unknown as PasswordHasher;
          expect(await verifyForms(hasher, encoded, forms, "decoy")).toBe(forms.includes(encoded ?? ""));
          expect(verified).toEqual(forms.map((form) => [encoded, form, "decoy"]));
        }
      },
    );
  });

  describe("user name comparison", () => {
    test("uses the composed form", () => {
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
    ])("treats %j as confusable with %j", (one, other) => {
      expect(confusableKeyOf(loginNameOf(one))).toBe(confusableKeyOf(loginNameOf(other)));
    });

    test("tells names apart that differ by one letter", () => {
      expect(confusableKeyOf("demo")).not.toBe(confusableKeyOf("dem0"));
    });
  });
});

test.each([
  ["https://app.example", ["https://app.example", "https://app.example:*"]],
  ["http://localhost:5173", ["http://localhost:5173", "http://localhost:*"]],
  ["http://[::1]:8080", ["http://[::1]:8080", "http://[::1]:*"]],
  ["capacitor://localhost", ["capacitor://localhost", "capacitor://localhost:*"]],
  // No browser sends these.
  ["null", ["null"]],
  ["http://localhost:*", []],
  ["http://localhost:80/path", ["http://localhost:80/path"]],
  ["http://evil.example/:localhost:1", ["http://evil.example/:localhost:1"]],
  ["http://user@localhost:1", ["http://user@localhost:1", "http://user@localhost:*"]],
])("origin %s is listed as %j", (origin, listings) => {
  expect(listingsOf(origin)).toEqual(listings);
});

test("looks up unknown app names, and known ones only once", async () => {
  const cache = new ApplicationCache();
  const existing = ["field", "office"];
  const requested: string[][] = [];
  const records = {
    get: async (_kind: string, names: readonly string[]) => {
      requested.push([...names]);
      return existing.filter((name) => names.includes(name)).map((id) => ({ id }));
    },
  } as unknown as RecordRepository;
  expect(await cache.includes(["field"], records)).toBe(true);
  expect(await cache.includes(["field", "office"], records)).toBe(true);
  expect(await cache.includes(["field", "new"], records)).toBe(false);
  existing.push("new");
  expect(await cache.includes(["office", "new"], records)).toBe(true);
  expect(await cache.includes(["new", "field", "office"], records)).toBe(true);
  expect(requested).toEqual([["field"], ["office"], ["new"], ["new"]]);
});

describe("confirmation code", () => {
  const digests = new NodeDigests();

  test("consists of two groups of unambiguous letters and digits, all equally likely", () => {
    const codes = Array.from({ length: 4_000 }, () => confirmationCode(new NodeRandomSource()));
    for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
    expect(new Set(codes).size).toBe(codes.length);
    const counts = new Map<string, number>();
    for (const letter of codes.join("").replaceAll("-", "")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(32);
    // 1,000 of each are expected; seven standard deviations are less than 250.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
  });

  test("maps every byte to one letter", () => {
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

  test("can be typed in any case and with any blanks, and belongs to one account", () => {
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
});
