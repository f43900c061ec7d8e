import { createHash } from "node:crypto";
import { jest } from "@jest/globals";
import { PasswordPolicy } from "./access/passwords/password-policy.ts";
import {
  type Account,
  catalogue,
  type ClassDefinition,
  errorEntry,
  extensions,
  isErrorCode,
  LruCache,
  type ModelRepository,
  ServiceError,
} from "@sallyport/storage";
import { digestOfChallenge, isVerifier } from "./identities/provider-state.ts";
import { mailAddress, type MailJob } from "./mail/mail.ts";

import { Model, ModelCache } from "./model/model.ts";
import type { ClientHash, RequestContext, Uses } from "./request/index.ts";
import { sendChangeNotice, type MailJobContent, type SealedMailJobs, type MailServices } from "./mail/index.ts";

describe("foundations", () => {
  test("a recency cache keeps recently set or read entries, up to twice the configured number", () => {
    const recent = new LruCache<number, string>(10);
    for (let key = 0; key < 100; key += 1) {
      recent.set(key, `value ${key}`);
      expect(recent.get(0)).toBe("value 0");
      for (let last = Math.max(0, key - 3); last <= key; last += 1) expect(recent.get(last)).toBe(`value ${last}`);
    }
    const cached = Array.from({ length: 100 }, (_, key) => recent.get(key)).filter((value) => value !== undefined);
    expect(cached.length).toBeLessThanOrEqual(20);
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
});

describe("password policy", () => {
  const digits = "0123456789abcdef0123456789abcdef";
  const digests = { sha256: (text: string) => text, md5: (text: string) => `md5 of ${text}` };
  const breached = new Set(["md5 of correcthorse", "md5 of Tr0ubador", "fedcba9876543210fedcba9876543210"]);
  const verified: string[] = [];

  const hasher = {
    hash: async (password: string) => password,
    verify: async (encoded: string | null, password: string) => {
      verified.push(encoded ?? "");
      return encoded === password;
    },
    isOutdated: () => false,
  };

  const policy = new PasswordPolicy(hasher, digests, { has: (md5) => breached.has(md5) });

  function outcome(pass: string, clientHash: ClientHash): string {
    try {
      return policy.accept({ sent: pass }, clientHash);
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
});

describe("model", () => {
  const define = (name: string, base: string | null, ...attributes: string[]): ClassDefinition => ({
    name,
    base,
    attributes: attributes.map((attribute) => ({ name: attribute, type: "string" })),
    rights: [],
  });

  describe("Model", () => {
    const classes = [
      define("Leaf", "Branch", "c"),
      define("Branch", "Root", "b"),
      define("Root", null, "a"),
      define("Other", null),
    ];
    const model = new Model({ generation: 1, classes });

    test("lists the attributes of base classes first", () => {
      expect([...(model.find("Leaf")?.attributes.keys() ?? [])]).toEqual(["a", "b", "c"]);
    });

    test("knows the subtree of a class", () => {
      expect([...(model.find("Root")?.subtree ?? [])].toSorted()).toEqual(["Branch", "Leaf", "Root"]);
      expect(model.find("Other")?.subtree).toEqual(["Other"]);
    });

    test.each(["__proto__", "constructor", "toString", "leaf", ""])("has no class %j", (name) => {
      expect(model.find(name)).toBeUndefined();
    });

    test("survives base classes that are missing or form a cycle", () => {
      const odd = new Model({
        generation: 1,
        classes: [define("A1a", "B1b", "x"), define("B1b", "A1a", "y"), define("C1c", "Gone")],
      });
      expect(odd.find("A1a")?.attributes.size).toBe(2);
      expect(odd.find("C1c")?.attributes.size).toBe(0);
    });
  });

  describe("ModelCache", () => {
    const repository = (generations: number[]) => {
      const load = jest.fn(async () => ({ generation: generations.shift() as number, classes: [] }));
      return { load } satisfies Pick<ModelRepository, "load">;
    };

    test("loads a generation once for concurrent requests", async () => {
      const models = repository([4]);
      const cache = new ModelCache();
      await Promise.all([cache.current(4, models), cache.current(4, models)]);
      await cache.current(4, models);
      expect(models.load).toHaveBeenCalledTimes(1);
    });

    test("loads again for another generation", async () => {
      const models = repository([4, 5]);
      const cache = new ModelCache();
      await cache.current(4, models);
      expect((await cache.current(5, models)).generation).toBe(5);
    });

    test("does not return the older model of a load in progress", async () => {
      const models = repository([4, 5]);
      const cache = new ModelCache();
      const [old, fresh] = await Promise.all([cache.current(4, models), cache.current(5, models)]);
      expect([old.generation, fresh.generation]).toEqual([4, 5]);
    });

    test("loads again after a failed load", async () => {
      const models = repository([4]);
      models.load.mockRejectedValueOnce(new Error("down"));
      const cache = new ModelCache();
      await expect(cache.current(4, models)).rejects.toThrow("down");
      expect((await cache.current(4, models)).generation).toBe(4);
    });
  });
});

describe("mail", () => {
  const account = { loginName: "Ada", email: "ada@mail.example" } as Account;
  const changed = { kind: "passwordChanged" } as const;

  /** Accepts mail jobs, or refuses them. */
  function mailContext(configured: boolean, refusal?: ServiceError) {
    const jobs: [string, MailJob][] = [];
    const seal = (alias: string, content: MailJobContent): string => {
      if ("job" in content) jobs.push([alias, content.job]);
      throw refusal ?? new ServiceError(706);
    };
    const outbox = {
      jobs: { seal } as SealedMailJobs,
      settings: configured ? { outboxLimit: 1, unavailableAfter: 1 } : null,
      notify: () => {},
    };
    const services = { outbox, settings: { mailLanguage: "de" as const } };
    return {
      jobs,
      context: { database: { alias: "second" }, r: {}, services } as unknown as RequestContext & Uses<MailServices>,
    };
  }

  test("a notice uses the requested language, else the configured one", async () => {
    const { jobs, context } = mailContext(true);
    await sendChangeNotice(context, account, changed, "en");
    await sendChangeNotice(context, account, changed, null);
    expect(jobs).toEqual(
      ["en", "de"].map((language) => [
        "second",
        { kind: "passwordChanged", to: "ada@mail.example", name: "Ada", language },
      ]),
    );
  });

  test("a notice is omitted without an address or without mail", async () => {
    const [without, off] = [mailContext(true), mailContext(false)];
    await sendChangeNotice(without.context, { ...account, email: null }, changed, null);
    await sendChangeNotice(off.context, account, changed, null);
    expect([without.jobs, off.jobs]).toEqual([[], []]);
  });

  test.each([706, 712, 704] as const)("a notice ignores a refused mail job: %i", async (code) => {
    const { jobs, context } = mailContext(true, new ServiceError(code));
    await sendChangeNotice(context, account, changed, null);
    expect(jobs).toHaveLength(1);
  });

  test.each([
    "a@b.example",
    "first.last+tag@sub.example.com",
    "o'brien@example.com",
    "müller@bücher.example",
    "用户@例え.テスト",
    "a@localhost",
    "1@2.example",
    "a@xn--bcher-kva.example",
  ])("mail address %s is accepted", (text) => {
    expect(mailAddress(text)).toBe(text);
  });

  test("a mail address is stored in composed form", () => {
    expect(mailAddress("mu\u0308ller@example.com")).toBe("m\u00fcller@example.com");
  });

  // The transport must refuse these, too: no one may be asked to accept them.
  test.each([
    "",
    "a",
    "@b",
    "a@",
    "a b@c",
    " a@b.example",
    "a@b.example ",
    "a@b.example,c@d.example",
    "A <a@b.example>",
    "a@b@c",
    "a@b_c.example",
    "a@b.example.",
    "a@b\n",
    "a\r\n@b",
    "a\u2028@b",
    "a\u200d@b",
    "a\u034f@b",
    "a\ufe0f@b",
    "a\u3164@b",
    "\u115fa@b",
    "a@b\uffa0",
    "a@b\u180b.example",
    "\ud800@b.example",
    `${"ä".repeat(65)}@b.example`,
  ])("mail address %j is refused", (text) => {
    expect(mailAddress(text)).toBeNull();
  });
});
