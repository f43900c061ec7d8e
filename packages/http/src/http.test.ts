import type { IncomingMessage } from "node:http";
import { attributeType, databaseOperations, deleteRule, operationsOf, permission } from "@sallyport/contract";
import { attributeTypes, deleteRules, permissions } from "@sallyport/storage";
import type { Database, PublicJwk } from "@sallyport/core";
import fc from "fast-check";
import { until } from "@sallyport/test-kit/jest/until";
import { decodeUtf8 } from "./body/json.ts";
import { PieceGatherer } from "./body/piece-gatherer.ts";
import { DatabaseKeys } from "./database-keys.ts";
import { EventLoopDelay, LoadGauge } from "./load-gauge.ts";
import type { Item } from "./multi/item.ts";
import { inGroups } from "./multi/run-items.ts";
import { presentedCredentials } from "./exchange/credentials.ts";
import { mailLanguage } from "./pipeline/handle.ts";
import { playgroundPage } from "./playground/playground-pages.ts";
import { queryParameters } from "./routing/query-string.ts";
import { pathSegments } from "./routing/route-matcher.ts";

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));

test.each([
  ["", ""],
  ["6b65c3bc", "keü"],
  ["efbbbf61", "\ufeffa"],
  ["f09f91a9", "\u{1f469}"],
])("UTF-8 %s is decoded", (hex, text) => {
  expect(decodeUtf8(bytes(hex))).toBe(text);
});

test.each(["c3", "ff", "eda080", "c080", "61f09f91"])("invalid UTF-8 %s is refused", (hex) => {
  expect(decodeUtf8(bytes(hex))).toBeUndefined();
});

function gathered(pieces: readonly Buffer[]) {
  const blocks: Buffer[] = [];
  let refusals = 0;
  let ended = false;
  const gatherer = new PieceGatherer({
    take: (block) => {
      if (block === null) ended = true;
      else blocks.push(Buffer.from(block));
      return true;
    },
    refuse: () => {
      refusals += 1;
    },
  });
  for (const piece of [...pieces, null]) gatherer.push(piece);
  return { blocks, refusals, ended };
}

test("a body is the same for every split into pieces", () => {
  const piece = fc.oneof(fc.integer({ min: 16, max: 40 }), fc.integer({ min: 1_000, max: 20_000 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (lengths) => {
      const pieces = lengths.map((length, index) => Buffer.alloc(length, index));
      const { blocks, refusals, ended } = gathered(pieces);
      expect(Buffer.concat(blocks).equals(Buffer.concat(pieces))).toBe(true);
      expect({ refusals, ended }).toEqual({ refusals: 0, ended: true });
    }),
  );
});

test("small pieces are passed on in few blocks", () => {
  const { blocks } = gathered(Array.from({ length: 60_000 }, () => Buffer.alloc(17)));
  expect(blocks.length).toBeLessThan(70);
});

test("one-byte pieces are refused once, and the rest is dropped", () => {
  const { blocks, refusals, ended } = gathered(Array.from({ length: 64_000 }, () => Buffer.alloc(1)));
  expect({ blocks, refusals, ended }).toEqual({ blocks: [], refusals: 1, ended: false });
});

describe("database keys", () => {
  const key = (kid: string): PublicJwk => ({ kty: "EC", crv: "P-256", x: "x", y: "y", kid, use: "sig", alg: "ES256" });
  const database = (alias: string) => ({ alias }) as Database;

  /** Databases with scripted answers, and a count of their calls. */
  function keysOver(
    answers: { [alias: string]: () => Promise<PublicJwk[]> },
    options: { age?: number; waitTimeout?: number } = {},
  ) {
    let asked = 0;
    const published = ({ alias }: Database) => {
      asked += 1;
      return answers[alias]?.() ?? Promise.reject(new Error("There is no such database."));
    };
    const databases = new Map(Object.keys(answers).map((alias) => [alias, database(alias)]));
    return { keys: new DatabaseKeys({ databases, keyRings: { published }, ...options }), asked: () => asked };
  }

  test("are read once for concurrent and subsequent requests", async () => {
    const { keys, asked } = keysOver({ one: async () => [key("a")], two: async () => [key("b")] });
    const sets = await Promise.all(Array.from({ length: 100 }, () => keys.read()));
    expect(new Set([...sets, await keys.read()]).size).toBe(1);
    expect(asked()).toBe(2);
  });

  test("are read again after their maximum age", async () => {
    const { keys, asked } = keysOver({ one: async () => [key(`key ${asked()}`)] }, { age: 0 });
    const ids = [];
    for (let round = 0; round < 3; round += 1) ids.push((await keys.read()).keys[0]?.kid);
    expect(ids).toEqual(["key 1", "key 2", "key 3"]);
  });

  test("are in the set once, even if several databases have them", async () => {
    const { keys } = keysOver({ one: async () => [key("a"), key("b")], two: async () => [key("b"), key("c")] });
    expect(await keys.read()).toEqual({ keys: [key("a"), key("b"), key("c")], complete: true });
  });

  test("of a database that fails or does not answer are left out", async () => {
    const silent = () => new Promise<PublicJwk[]>(() => {});
    const failing = () => Promise.reject(new Error("It is down."));
    const { keys } = keysOver({ one: async () => [key("a")], silent, failing }, { waitTimeout: 1 });
    expect(await keys.read()).toEqual({ keys: [key("a")], complete: false });
  });
});

const groupsOf = (kinds: string, most: number) =>
  [
    ...inGroups(
      Array.from(kinds, (kind) => ({ kind, isRead: kind === "r" }) as unknown as Item),
      most,
    ),
  ].map((group) => group.map((item) => (item as unknown as { kind: string }).kind).join(""));

test.each([
  ["", 3, []],
  ["r", 3, ["r"]],
  ["w", 3, ["w"]],
  ["rr", 3, ["rr"]],
  ["rrrrrrr", 3, ["rrr", "rrr", "r"]],
  ["wwrrwrw", 3, ["w", "w", "rr", "w", "r", "w"]],
  ["rrw", 1, ["r", "r", "w"]],
])("items %j form groups of at most %i", (kinds, most, groups) => {
  expect(groupsOf(kinds, most)).toEqual(groups);
});

describe("credentials", () => {
  const read = (...rawHeaders: string[]) => presentedCredentials({ rawHeaders } as IncomingMessage);

  test.each(["appkey", "AppKey", "APPKEY"])("finds %s in any case", (name) => {
    expect(read("Host", "x", name, "k").appKey).toEqual({ value: "k", conflict: false });
  });

  test("finds each credential in its own header only", () => {
    const { sessionId, authorization, secureToken, appKey } = read(
      "SessionId",
      "s",
      "Authorization",
      "a",
      "Secure-Token",
      "t",
    );
    expect([sessionId.value, authorization.value, secureToken.value, appKey.value]).toEqual(["s", "a", "t", null]);
  });

  test("counts equal values once and never chooses among different ones", () => {
    expect(read("sessionid", "s", "sessionId", "s").sessionId).toEqual({ value: "s", conflict: false });
    expect(read("sessionid", "s", "sessionId", "t").sessionId.conflict).toBe(true);
    expect(read("sessionid", "s", "sessionId", "t", "sessionid", "s").sessionId.conflict).toBe(true);
    expect(read("sessionid", "", "sessionId", "t").sessionId.conflict).toBe(true);
  });
});

test.each([
  [undefined, null],
  ["", null],
  ["*", null],
  ["fr", null],
  ["de", "de"],
  ["DE-at", "de"],
  ["dex", null],
  ["en-GB,en;q=0.9,de;q=0.8", "en"],
  ["fr, de;q=0.7, en;q=0.8", "en"],
  ["en;q=0.1,de", "de"],
  ["en;q=0", null],
  ["en;q=0, de;q=0.001", "de"],
  ["en;q=high,de;q=0.5", "en"],
  ["de;q=0.5,en;q=0.5", "de"],
])("accept-language %j selects %j", (header, language) => {
  expect(mailLanguage(header)).toBe(language);
});

const hostile = `"><script>alert('1')</script>&amp;`;
const demo = { appKey: hostile, appNames: [hostile], users: [{ name: hostile, password: hostile, may: hostile }] };

describe("page at /docs", () => {
  test("escapes every text", () => {
    const page = playgroundPage({ name: hostile, version: hostile, alias: hostile, demo });
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("alert('1')");
    expect(page).toContain("&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;");
  });

  test("contains no script, no style and no external address", () => {
    const page = playgroundPage({ name: "Test", version: "1", alias: "second", demo });
    expect(page).not.toMatch(/<script(?![^>]* src=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect(page).not.toMatch(/(?:src|href|action)="(?!docs\/|openapi\.json"|data:,")/);
  });

  test("shows and prefills the access of the demo only", () => {
    const access = {
      appKey: "the-key",
      appNames: ["one", "two"],
      users: [{ name: "ann", password: "pw", may: "reads" }],
    };
    const parts = { name: "Test", version: "1", alias: "" };
    const page = playgroundPage({ ...parts, demo: access });
    for (const text of ["the-key", "ann", "pw", "reads", "This is the demo"]) expect(page).toContain(text);
    const other = playgroundPage({ ...parts, demo: null });
    for (const text of ["the-key", "ann", "reads", "This is the demo"]) expect(other).not.toContain(text);
    expect(other).toContain('<input name="appKey" required spellcheck="false" value="">');
  });
});

test("the contract has the enumerations of the domain", () => {
  expect(attributeType.options).toEqual(attributeTypes);
  expect(deleteRule.options).toEqual(deleteRules);
  expect(permission.options).toEqual(permissions);
});

const declared = operationsOf(databaseOperations);

test("all operations without a session stand alone, except the service check", () => {
  const others = declared.filter(({ access, inMulti }) => access !== "session" && inMulti);
  expect(others.map(({ id }) => id)).toEqual(["checkService"]);
});

test("documents, sealed answers, the log-out and the multi request stand alone", () => {
  const odd = declared.filter(
    ({ id, answer }) => answer === "document" || typeof answer === "object" || id === "logOut" || id === "multi",
  );
  expect(odd.length).toBeGreaterThan(3);
  expect(odd.filter(({ inMulti }) => inMulti)).toEqual([]);
});

test("operations that write classes declare that they change the model", () => {
  const changing = declared.filter(({ path, method }) => path.startsWith("/v1/model/") && method !== "GET");
  expect(changing.map(({ effect }) => effect)).toEqual(["model", "model"]);
});

test("a multi request declares all errors of its items, because they fail as one", () => {
  const inside = declared.filter(({ inMulti, effect }) => inMulti && effect !== "model");
  const { errors } = databaseOperations.multi.multi;
  expect(new Set(errors)).toEqual(new Set(inside.flatMap((each) => each.errors)));
});

const parse = (query: string, names = ["a", "b", "page", "perPage", "query", "__proto__"]) =>
  Object.fromEntries(queryParameters(query, names));
const pack = (text: string) => Buffer.from(text).toString("base64url");

test.each([
  ["", {}],
  ["page=1", { page: "1" }],
  ["a=x+y&b=%C3%A9", { a: "x y", b: "é" }],
  ["a", { a: "" }],
  ["a=1&a=1", { a: "1" }],
  [`qb64=${pack("page=2&query=%7B%7D")}`, { page: "2", query: "{}" }],
  [`perPage=5&qb64=${pack("page=2")}`, { perPage: "5", page: "2" }],
  ["qb64=", {}],
  ["qb64=YT1+fn4mYj0+", { a: "~~~", b: ">" }],
  ["qb64=YT1%2Bfn4mYj0%2B", { a: "~~~", b: ">" }],
  ["unknown=1&unknown=2&a=1", { a: "1" }],
  [`a=1&qb64=${pack("x=1&x=2&b=2&qb64=e30")}`, { a: "1", b: "2" }],
  ["__proto__=x", Object.fromEntries([["__proto__", "x"]])],
])("query string %j is parsed to %j", (query, expected) => {
  expect(parse(query)).toEqual(expected);
});

const notUtf8 = ["a=%ff", "b=%C3", "x=%c3%28", "%ED%A0%80=1", `qb64=${pack("a=%ff")}`, "qb64=_w", "a=%C3&b=%BC"];

test.each(["a=1&a=2", `a=1&qb64=${pack("a=2")}`, "qb64=%7B%7D", "qb64=a.b", ...notUtf8])(
  "query string %j is refused with 307",
  (query) => {
    expect(() => parse(query)).toThrow(expect.objectContaining({ code: 307 }));
  },
);

test("packed parameters equal plain ones", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(names, fc.string({ unit: "grapheme" }), (keys, value) => {
      const query = new URLSearchParams(keys.map((key): [string, string] => [key, value])).toString();
      expect(parse(`qb64=${pack(query)}`, keys)).toEqual(parse(query, keys));
    }),
  );
});

test.each([
  ["/v1/login", ["v1", "login"]],
  ["//v1///login//", ["v1", "login"]],
  ["/", []],
  ["/v1/objects/Caf%C3%A9", ["v1", "objects", "Café"]],
  ["/v1/object/%41", ["v1", "object", "A"]],
  ["/v1/a+b", ["v1", "a+b"]],
])("path %s has the segments %j", (path, segments) => {
  expect(pathSegments(path)).toEqual(segments);
});

test.each([
  "/v1/object/a%2Fb",
  "/v1/object/a%2fb",
  "/v1/object/a%5Cb",
  "/v1/object/a\\b",
  "/v1/./login",
  "/v1/../login",
  "/v1/%2e%2e/login",
  "/v1/login/..",
  "/v1;x=1/login",
  "/v1%3Bx/login",
  "/v1/%",
  "/v1/%zz",
  "/v1/%C3",
  "/v1/a%00b",
  "/v1/a%0Ab",
  "/v1/a%7Fb",
])("path %s is refused", (path) => {
  expect(pathSegments(path)).toBeNull();
});

describe("load shedding by event-loop delay", () => {
  const measured = (...delays: readonly number[]) => {
    const eventLoop = new EventLoopDelay({ delay: 100, resume: 20 });
    const load = new LoadGauge(1, eventLoop);
    load.enter();
    const states = delays.map((late) => {
      eventLoop.measured(late);
      return load.overload !== null;
    });
    load.drain();
    return { states, after: load.overload };
  };

  test.each<[string, number[], boolean[]]>([
    ["never below the limit", [90, 99, 99, 99, 99, 99, 99, 99], Array(8).fill(false)],
    ["after a third of a second above it", [150, 150, 150, 150], [false, false, false, true]],
    ["not for one long pause", [60_000, 0, 0], [false, false, false]],
    [
      "until the average is below the lower limit",
      [500, 500, 90, 50, 50, 0, 0, 0, 0],
      [false, true, true, true, true, true, true, true, false],
    ],
    ["not for a clock that is early", [-5, -5], [false, false]],
  ])("refuses %s", (_title, delays, states) => {
    expect(measured(...delays)).toEqual({ states, after: null });
  });

  test("spares 32 requests at one time", () => {
    const load = new LoadGauge(1);
    const shares = Array.from({ length: 33 }, () => load.enter());
    expect(shares.map((share) => load.spare(share))).toEqual([...Array(32).fill(true), false]);
    shares[0]?.end();
    shares[0]?.end();
    expect([load.spare(load.enter()), load.spare(load.enter())]).toEqual([true, false]);
  });

  test("names the delay, and recovers after a blocked event loop", async () => {
    const load = new LoadGauge(1, new EventLoopDelay({ delay: 20, resume: 5 }));
    const block = () => {
      const end = performance.now() + 150;
      while (performance.now() < end);
    };
    const blocking = setInterval(block, 1);
    await until(() => load.overload !== null);
    expect(load.overload).toContain("event loop");
    clearInterval(blocking);
    await until(() => load.overload === null);
    load.drain();
  });
});
