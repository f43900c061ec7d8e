import { jest } from "@jest/globals";
import { NodeServerKeys } from "@sallyport/crypto";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { callSecurely } from "../secure-client.ts";
import { goodFields, hybridBody, openAnswer, openHybridAnswer, secureBody } from "./credentials.ts";
import { post, type Reply, send, type SentHeaders } from "./send.ts";
import { storedServerKeys } from "./stored-keys.ts";

interface Credentials {
  readonly sessionid: string;
  readonly authorization: string;
  readonly "secure-token": string;
}

let postgres: PostgresFixture;
let server: RunningServer;
let good: Credentials;
beforeAll(async () => {
  postgres = await openPostgresFixture();
  server = await postgres.demo(storedServerKeys);
  good = {
    sessionid: JSON.parse((await post(`${server.url}/v1/login`, goodFields)).text).data.sessionId,
    authorization: JSON.parse((await post(`${server.url}/v2/login`, goodFields)).text).data.token,
    "secure-token": openAnswer((await post(`${server.url}/v2/login/secure`, secureBody())).text).data.sessionId,
  };
}, 60_000);
afterAll(() => postgres.close());

const check = (url: string, headers: SentHeaders): Promise<Reply> => send(`${url}/_CheckSession`, { headers });
const otherMasterKey = Buffer.alloc(32, "another key").toString("base64");

describe("a secure log-in that asks for plain traffic", () => {
  const logIn = async (url: string, furtherencryption: unknown) =>
    openAnswer((await post(`${url}/v2/login/secure`, secureBody({ ...goodFields, furtherencryption }))).text).data;
  let compatible: RunningServer;
  beforeAll(async () => {
    compatible = await postgres.demo({ ...storedServerKeys, PLAIN_AFTER_SECURE_LOGIN: "true" });
  });

  test.each([false, true, null, "false"])(
    "by %j gets none where the server does not allow it",
    async (furtherencryption) => {
      const data = await logIn(server.url, furtherencryption);
      expect(Buffer.from(data.symmetricKey, "base64")).toHaveLength(32);
      expect((await check(server.url, { sessionid: data.sessionId })).code).toBe("201");
      expect((await check(server.url, { "secure-token": data.sessionId })).headers["encrypted"]).toMatch(/^v=1;iv=/);
    },
  );

  test("gets a plain session where it does", async () => {
    const data = await logIn(compatible.url, false);
    expect(data).toEqual({
      sessionId: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      user: expect.any(Object),
      databaseName: expect.any(String),
    });
    expect((await check(compatible.url, { sessionid: data.sessionId })).code).toBe("0");
    expect((await check(compatible.url, { "secure-token": data.sessionId })).code).toBe("203");
    expect((await check(compatible.url, { authorization: data.sessionId })).code).toBe("203");
  });

  test.each([true, null, 0, "", "false", undefined])("by %j does not ask for it", async (furtherencryption) => {
    const data = await logIn(compatible.url, furtherencryption);
    expect((await check(compatible.url, { sessionid: data.sessionId })).code).toBe("201");
    const session = {
      token: data.sessionId,
      key: Buffer.from(data.symmetricKey, "base64"),
      ivPrefix: Buffer.from(data.ivPrefix, "base64"),
    };
    expect(await callSecurely(compatible, session, "/_CheckSession")).toMatchObject({
      code: "0",
      iv: expect.any(Buffer),
    });
  });

  test("has no say over a session that is encrypted already", async () => {
    expect((await check(compatible.url, { "secure-token": good["secure-token"] })).headers["encrypted"]).toMatch(
      /^v=1;iv=/,
    );
    expect((await check(compatible.url, { sessionid: good["secure-token"] })).code).toBe("201");
  });
});

describe.each<[string, Record<string, string>, string]>([
  ["without a master key", {}, "203"],
  ["with another master key", { MASTER_KEY: otherMasterKey }, "705"],
])("a server %s", (title, environment, ofToken) => {
  let other: RunningServer;
  beforeAll(async () => {
    const storage = { engine: "postgres", url: postgres.url, schema: "sallyport_demo" };
    other = await postgres.configured(
      { databases: [{ alias: "", name: server.databases.get("")?.name, storage }] },
      environment,
    );
  });

  test.each<[string, () => Promise<Reply>]>([
    ["the key of the secure log-in", () => send(`${other.url}/v2/login/secure/key`)],
    ["the key of the encrypted log-in", () => send(`${other.url}/v2/login/key`)],
    ["a secure log-in", () => post(`${other.url}/v2/login/secure`, secureBody())],
    ["a log-in with a token", () => post(`${other.url}/v2/login`, goodFields)],
    [
      "a log-in with a token and a wrong password",
      () => post(`${other.url}/v2/login`, { ...goodFields, pass: "wrong" }),
    ],
    ["an encrypted log-in with a token", () => post(`${other.url}/v2/login`, hybridBody())],
  ])("answers 705 to %s, and makes no keys for it", async (_title, ask) => {
    const generate = jest.spyOn(NodeServerKeys.prototype, "generate");
    const answer = await ask();
    expect(answer).toMatchObject({
      status: 500,
      text: '{"status":{"internalStatus":"705","statusMessage":"Missing database configuration"}}',
    });
    expect(generate).not.toHaveBeenCalled();
    generate.mockRestore();
  });

  test("knows no token", async () => {
    expect((await check(other.url, { authorization: good.authorization })).code).toBe(ofToken);
    expect((await check(other.url, { authorization: "x.y.z" })).code).toBe("203");
    expect((await check(other.url, { "secure-token": good["secure-token"] })).code).toBe("203");
  });

  test("works in session-id mode", async () => {
    expect((await check(other.url, { sessionid: good.sessionid })).code).toBe("0");
    const answer = await post(`${other.url}/v1/login`, goodFields);
    expect(answer.code).toBe("0");
    expect((await check(server.url, { sessionid: JSON.parse(answer.text).data.sessionId })).code).toBe("0");
  });

  test(`leaves what is stored as it was: ${title}`, async () => {
    expect((await check(server.url, { authorization: good.authorization })).code).toBe("0");
    expect((await check(server.url, { "secure-token": good["secure-token"] })).headers["encrypted"]).toMatch(
      /^v=1;iv=/,
    );
    expect(openHybridAnswer((await post(`${server.url}/v2/login`, hybridBody())).text).status.internalStatus).toBe("0");
  });
});
