import { createHash } from "node:crypto";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { AppKeyContext } from "../request/index.ts";
import { confusableKeyOf, listingsOf, loginNameOf, tallyTime } from "../storage/index.ts";
import { sentForms, typedPassword } from "./accounts/client-password.ts";
import { type PasswordHasher, verifyForms } from "./accounts/verify-password.ts";
import { ApplicationCache } from "./appkeys/applications.ts";
import { isReturnAddress, listsReturnAddress, withParameter } from "./appkeys/return-address.ts";
import { ReplayRecord } from "./channels/message-rules.ts";
import { codeDigest, confirmationCode } from "./custom-users/change-custom-password.ts";

describe("replay record", () => {
  test("tallies later replays of each of the last 10,000 networks", async () => {
    const audited: string[] = [];
    const audit = { append: async () => void audited.push("event"), tally: async () => void audited.push("tally") };
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
            verify: async (...given: [string | null, string, string | null]) => {
              verified.push(given);
              return given[0] === given[1];
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
  const applications = {
    existing: async (names: readonly string[]) => {
      requested.push([...names]);
      return existing.filter((name) => names.includes(name));
    },
  };
  expect(await cache.includes(["field"], applications)).toBe(true);
  expect(await cache.includes(["field", "office"], applications)).toBe(true);
  expect(await cache.includes(["field", "new"], applications)).toBe(false);
  existing.push("new");
  expect(await cache.includes(["office", "new"], applications)).toBe(true);
  expect(await cache.includes(["new", "field", "office"], applications)).toBe(true);
  expect(requested).toEqual([["field"], ["office"], ["new"], ["new"]]);
});

describe("return address", () => {
  const long = `https://app.example/${"a".repeat(2_048 - "https://app.example/".length)}`;

  test.each([
    "https://app.example",
    "https://app.example/",
    "https://app.example/back",
    "https://app.example:8443/back?from=provider&to=a%2Fb",
    "https://app.example/a@b/../c;d=e",
    "https://192.0.2.1:8443/back",
    "https://1.example-1.a1/back",
    "https://app.example/back?",
    "https://app.example/back?encode=1&errors=2",
    "http://localhost",
    "http://localhost/back",
    "http://localhost:5173/back",
    "http://127.0.0.1:65535/back?a",
    "http://[::1]/back",
    "http://localhost?@other.example/",
    "com.example.app:/back",
    "com.example.app:back",
    "com.example.app://back",
    "com.example.app://back:1/a?b=c",
    "com.example.app:///back",
    "a.b:c",
    long,
  ])("can list %s", (text) => expect(isReturnAddress(text)).toBe(true));

  test.each([
    "",
    "/back",
    "//app.example/back",
    "app.example/back",
    "https:",
    "https:app.example",
    "https:/app.example/back",
    "https://",
    "https:///back",
    "https://-/back",
    "https://a..b/back",
    "https://1.2.3/back",
    "https://1.2.3.256/back",
    "https://1.2.3.04/back",
    "https://app.example.80/back",
    "https://app.example.0x1/back",
    "https://[2001:db8::1]/back",
    "https://.app.example/back",
    "https://app.example./back",
    "https://app.example:0/back",
    "https://app.example:080/back",
    "https://app.example:65536/back",
    "https://app.example:/back",
    "https://APP.example/back",
    "HTTPS://app.example/back",
    "https://app.example/back#",
    "https://app.example/back#fragment",
    "https://user@app.example/back",
    "https://user:pass@app.example/back",
    "https://@app.example/back",
    "https://*.example/back",
    "https://app.example/*",
    "https://app.example/back?a=*",
    "https://app.example\\@other.example/",
    "https://app.example/\\other",
    "https://app.example/ back",
    " https://app.example/back",
    "https://app.example/back ",
    "https://app.example/back\n",
    "https://app.example/back\r\nSet-Cookie: a=b",
    "https://app.example/back\0",
    "https://\u00e4pp.example/back",
    "https://app.example/b\u00e4ck",
    "https://app.example/%2",
    "https://app.example/%zz",
    "https://app.example/back?%ff=1",
    "https://app.example/back?code=1",
    "https://app.example/back?a=1&error=2",
    "https://app.example/back?a=1&%63ode=2",
    "https://app.example/back?error",
    "https://app.example/<script>",
    'https://app.example/"',
    "http://app.example/back",
    "http://localhost.app.example/back",
    "http://localhost:80@app.example/back",
    "http://localhost:/back",
    "http://localhost:0/back",
    "http://localhost:99999/back",
    "http://localhost:123456/back",
    "http://127.0.0.1.app.example/",
    "http://127.0.0.2/back",
    "http://127.1/back",
    "http://2130706433/back",
    "http://0.0.0.0/back",
    "http://[::]/back",
    "http://[::ffff:127.0.0.1]/back",
    "http://user@localhost/back",
    "ftp://app.example/back",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "javascript://app.example/%0aalert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,a",
    "vbscript:a",
    "blob:https://app.example/a",
    "about:blank",
    "view-source:https://app.example",
    "mailto:a@app.example",
    "myapp:/back",
    "myapp://back",
    "Com.example.app:/back",
    ".example:/back",
    "1.example:/back",
    "com.example.app:",
    "com.example.app:/back#fragment",
    "com.example.app://user@back",
    "com.example.app:/*",
    "com.example.app:/back?code=1",
    `${long}a`,
  ])("cannot list %j", (text) => expect(isReturnAddress(text)).toBe(false));

  const listed = [
    "https://app.example/back",
    "https://app.example:8443/back",
    "http://localhost/back?a=1",
    "http://127.0.0.1:8000/back",
    "http://[::1]",
    "com.example.app:/back",
  ];

  test.each([
    ...listed,
    "http://localhost:1/back?a=1",
    "http://localhost:65535/back?a=1",
    "http://127.0.0.1/back",
    "http://127.0.0.1:9000/back",
    "http://[::1]:9000",
  ])("lists %s", (text) => expect(listsReturnAddress({ returnAddresses: listed }, text)).toBe(true));

  test.each([
    "https://app.example/back/",
    "https://app.example/back?",
    "https://app.example/back?a=1",
    "https://app.example/back#a",
    "https://app.example/bac",
    "https://app.example/Back",
    "https://app.example:443/back",
    "https://app.example:8444/back",
    "https://app.example",
    "https://other.example/back",
    "https://app.example.other.example/back",
    "http://app.example/back",
    "https://app.example/%62ack",
    "https://app.example/./back",
    "http://localhost:1/back",
    "http://localhost:1/back?a=2",
    "http://localhost:99999/back?a=1",
    "http://localhost:1:2/back?a=1",
    "http://localhost:/back?a=1",
    "http://localhost:1@app.example/back?a=1",
    "https://localhost/back?a=1",
    "http://[::1]/",
    "http://127.0.0.1/",
    "com.example.app:/back2",
    "com.example.app://back",
    "com.example.app2:/back",
    "COM.example.app:/back",
    "",
  ])("does not list %j", (text) => expect(listsReturnAddress({ returnAddresses: listed }, text)).toBe(false));

  test("never matches an invalid address, even if a dump or a storage lists it", () => {
    for (const text of ["javascript:alert(1)", "http://app.example/back", "*", "https://app.example/#a"])
      expect(listsReturnAddress({ returnAddresses: [text] }, text)).toBe(false);
    expect(listsReturnAddress({ returnAddresses: [] }, "https://app.example/back")).toBe(false);
  });

  test("a listed address admits no other address: the pattern agrees with a browser's parser", () => {
    const parts = [
      "https://",
      "http://",
      "com.a:",
      "//",
      "localhost",
      "127.0.0.1",
      "app.example",
      "@",
      ":",
      "80",
      "/",
      "\\",
      "?",
      "#",
      "%40",
      ".",
      "a=1",
      "&",
      "code=1",
      "*",
    ];
    const returnAddresses = ["https://app.example/a", "http://localhost/a", "com.a:/a"];
    let state = 1;
    const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const accepted = new Set<string>();
    for (let round = 0; round < 200_000; round += 1) {
      const text = Array.from({ length: 2 + next(5) }, () => parts[next(parts.length)]).join("");
      if (!isReturnAddress(text)) continue;
      accepted.add(text);
      const url = new URL(text);
      expect([text, url.username, url.password, url.hash, url.searchParams.has("code"), text.includes("*")]).toEqual([
        text,
        "",
        "",
        "",
        false,
        false,
      ]);
      if (url.protocol === "http:") expect(["localhost", "127.0.0.1"]).toContain(url.hostname);
      expect(url.protocol).toMatch(/^(?:https?:|.*\..*:)$/);
      if (listsReturnAddress({ returnAddresses }, text))
        expect(returnAddresses).toContain(text.replace(/^http:\/\/localhost:\d+/, "http://localhost"));
    }
    expect(accepted.size).toBeGreaterThan(100);
  });

  test.each([
    ["https://app.example", "https://app.example?code=a-b_c"],
    ["https://app.example/back", "https://app.example/back?code=a-b_c"],
    ["https://app.example/back?", "https://app.example/back?code=a-b_c"],
    ["https://app.example/back?a=1", "https://app.example/back?a=1&code=a-b_c"],
    ["https://app.example/back?a=1&", "https://app.example/back?a=1&code=a-b_c"],
    ["com.example.app:/back", "com.example.app:/back?code=a-b_c"],
    ["com.example.app:back", "com.example.app:back?code=a-b_c"],
  ])("adds the code to %s: %s", (address, expected) => {
    expect(withParameter(address, "code", "a-b_c")).toBe(expected);
    expect(new URL(expected).searchParams.get("code")).toBe("a-b_c");
  });
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
