import { createHash } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { goodFields, hybridBody, openAnswer, openHybridAnswer, secureBody } from "./credentials.ts";
import { post, type Reply, type SentHeaders, send } from "./send.ts";
import { storedServerKeys } from "./stored-keys.ts";

type Header = "sessionid" | "authorization" | "secure-token";

const headers = ["sessionid", "authorization", "secure-token"] as const;
const invalid: Readonly<Record<Header, string>> = { sessionid: "201", authorization: "203", "secure-token": "203" };
const unknown = "A".repeat(43);

describe("credential headers", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  /** A credential of each mode, in its own header. */
  const good: Record<Header, string> = { sessionid: "", authorization: "", "secure-token": "" };
  let both: { sessionId: string; token: string };
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo(storedServerKeys);
    good.sessionid = JSON.parse((await post(`${server.url}/v1/login`, goodFields)).text).data.sessionId;
    good.authorization = JSON.parse((await post(`${server.url}/v2/login`, goodFields)).text).data.token;
    good["secure-token"] = openAnswer((await post(`${server.url}/v2/login/secure`, secureBody())).text).data.sessionId;
    both = openHybridAnswer((await post(`${server.url}/v2/login`, hybridBody())).text).data;
  }, 60_000);
  afterAll(() => postgres.close());

  /** The code of the answer; `encrypted` if it is good and of the secure session. */
  const check = async (sent: SentHeaders, at = server.url): Promise<string> =>
    outcome(await send(`${at}/_CheckSession`, { headers: sent }));
  const outcome = ({ headers: received, code }: Reply) =>
    String(received["encrypted"]).startsWith("v=1;iv=") ? "encrypted" : String(code);
  const success = (header: Header) => (header === "secure-token" ? "encrypted" : "0");

  describe.each(headers)("%s", (header) => {
    test.each<[string, () => string[], string]>([
      ["good", () => [good[header]], success(header)],
      ["good twice", () => [good[header], good[header]], success(header)],
      ["good and another", () => [good[header], unknown], invalid[header]],
      ["another and good", () => [unknown, good[header]], invalid[header]],
      ["good and blank", () => [good[header], ""], invalid[header]],
      ["blank and good", () => ["", good[header]], invalid[header]],
      ["good between blanks", () => [`  ${good[header]} `], success(header)],
      ["two in one", () => [`${good[header]}, ${good[header]}`], invalid[header]],
      ["shortened", () => [good[header].slice(0, -1)], invalid[header]],
      ["lengthened", () => [`${good[header]}A`], invalid[header]],
      ["in other letters", () => [good[header].toLowerCase()], invalid[header]],
      ["with padding", () => [`${good[header]}=`], invalid[header]],
      ["huge", () => [good[header].repeat(10).slice(0, 6_000)], invalid[header]],
      ["blank", () => [""], "204"],
      ["blank twice", () => ["", ""], "204"],
      ["unknown", () => [unknown], invalid[header]],
      ["__proto__", () => ["__proto__"], invalid[header]],
    ])("%s", async (_title, values, expected) => {
      expect(await check({ [header]: values() })).toBe(expected);
    });

    test.each(headers.filter((each) => each !== header))("refuses a good %s", async (from) => {
      expect(await check({ [header]: good[from] })).toBe(invalid[header]);
    });

    test.each(headers.filter((each) => each !== header))("is refused beside a good %s", async (from) => {
      for (const own of [good[header], unknown]) expect(await check({ [header]: own, [from]: good[from] })).toBe("203");
    });

    test("is good beside blank ones", async () => {
      const blank = Object.fromEntries(headers.map((each) => [each, " "]));
      expect(await check({ ...blank, [header]: good[header] })).toBe(success(header));
      expect(await check({ ...blank, [header]: unknown })).toBe(invalid[header]);
      expect(await check(blank)).toBe("204");
    });

    test("is good in its own database and with its own app key only", async () => {
      expect(await check({ [header]: good[header] }, `${server.url}/second`)).toBe(invalid[header]);
      const { appKeys } = server.databases.get("")?.storage.repositories ?? {};
      const other = `other-key-of-${header}`;
      await appKeys?.create(
        { name: other, appNames: null, origins: [] },
        createHash("sha256").update(other).digest("hex"),
      );
      expect(await check({ [header]: good[header], appkey: other })).toBe(invalid[header]);
      expect(await check({ [header]: good[header], appkey: "unknown" })).toBe("101");
      expect(await check({ [header]: good[header], appkey: null })).toBe("100");
    });

    test("is not looked at where none is needed", async () => {
      const answer = await post(`${server.url}/v1/login`, goodFields, { [header]: [unknown, "x"] });
      expect(answer.code).toBe("0");
    });
  });

  test("of all three modes at once are refused", async () => {
    expect(await check(good)).toBe("203");
  });

  test("are asked for by what the client seems to be", async () => {
    expect(await check({})).toBe("200");
    for (const type of ["application/text", "Application/Text ; charset=UTF-8", "application/text;"])
      expect(await check({ "content-type": type })).toBe("202");
    for (const type of ["application/json", "application/text-plain", "text/plain"])
      expect(await check({ "content-type": type })).toBe("200");
    expect(await check({ "content-type": "application/text", "secure-token": "" })).toBe("204");
    expect(await check({ "content-type": "application/text", "secure-token": unknown })).toBe("203");
    expect(await check({ "content-type": "application/text", sessionid: unknown })).toBe("201");
  });

  test("are asked for by one code where the configuration says so", async () => {
    const compatible = await postgres.demo({ ...storedServerKeys, MISSING_CREDENTIAL: "204" });
    for (const sent of [{}, { "content-type": "application/text" }, { sessionid: "" }])
      expect(await check(sent, compatible.url)).toBe("204");
    expect(await check({ sessionid: unknown }, compatible.url)).toBe("201");
  });

  test("of the encrypted log-in with a token are two of one session", async () => {
    expect(await check({ sessionid: both.sessionId })).toBe("0");
    expect(await check({ authorization: both.token })).toBe("0");
    expect(await check({ authorization: both.sessionId })).toBe("203");
    const claims = Buffer.from(both.token.split(".")[1] ?? "", "base64url").toString();
    expect(claims).not.toContain(both.sessionId);
    expect(await check({ sessionid: JSON.parse(claims).sid.slice("session.".length) })).toBe("201");
    expect(await check({ sessionid: both.token })).toBe("201");
    expect(await check({ sessionid: both.sessionId, authorization: both.token })).toBe("203");
    expect(
      (await send(`${server.url}/v1/logout`, { method: "POST", headers: { authorization: both.token } })).code,
    ).toBe("0");
    expect(await check({ sessionid: both.sessionId })).toBe("201");
    expect(await check({ authorization: both.token })).toBe("203");
  });

  test.each([
    ["twice", ["demo-app-key", "demo-app-key"], "200"],
    ["and another", ["demo-app-key", "x"], "101"],
    ["and blank", ["demo-app-key", ""], "101"],
    ["after a blank one", ["", "demo-app-key"], "101"],
    ["blank twice", ["", " "], "100"],
  ])("the app key %s", async (_title, appkey, expected) => {
    expect(await check({ appkey })).toBe(expected);
  });
});
