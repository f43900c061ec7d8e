import http from "node:http";
import { jest } from "@jest/globals";
import { NodeServerKeys } from "@sallyport/crypto";
import { TcpRelay } from "@sallyport/test-kit/network/tcp-relay";
import type { RunningServer } from "../../src/index.ts";
import { appKey } from "../cases/run-cases.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  callSecurely,
  counterBlock,
  demoFields,
  encryptMessage,
  logInSecurely,
  openSecurely,
  type SecureAnswer,
  type SecureSession,
  sendMessage,
} from "./secure-client.ts";
import { goodFields, hybridBody, openAnswer, openHybridAnswer, secureBody } from "./credentials.ts";
import { post, type Reply, send, type SentHeaders } from "./send.ts";
import { storedServerKeys } from "./stored-keys.ts";

describe("configurations", () => {
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

  describe("secure log-in that requests plain traffic", () => {
    const logIn = async (url: string, furtherencryption: unknown) =>
      openAnswer((await post(`${url}/v2/login/secure`, secureBody({ ...goodFields, furtherencryption }))).text).data;
    let compatible: RunningServer;
    beforeAll(async () => {
      compatible = await postgres.demo({ ...storedServerKeys, PLAIN_AFTER_SECURE_LOGIN: "true" });
    });

    test.each([false, true, null, "false"])(
      "gets no plain session by %j on a server that does not allow it",
      async (furtherencryption) => {
        const data = await logIn(server.url, furtherencryption);
        expect(Buffer.from(data.symmetricKey, "base64")).toHaveLength(32);
        expect((await check(server.url, { sessionid: data.sessionId })).code).toBe("201");
        expect((await check(server.url, { "secure-token": data.sessionId })).headers["encrypted"]).toMatch(/^v=1;iv=/);
      },
    );

    test("gets a plain session on a server that allows it", async () => {
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

    test.each([true, null, 0, "", "false", undefined])(
      "is not a request for plain traffic with %j",
      async (furtherencryption) => {
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
      },
    );

    test("does not affect a session that is encrypted already", async () => {
      expect((await check(compatible.url, { "secure-token": good["secure-token"] })).headers["encrypted"]).toMatch(
        /^v=1;iv=/,
      );
      expect((await check(compatible.url, { sessionid: good["secure-token"] })).code).toBe("201");
    });
  });

  describe.each<[string, Record<string, string>, string]>([
    ["without a master key", {}, "203"],
    ["with another master key", { MASTER_KEY: otherMasterKey }, "705"],
  ])("server %s", (title, environment, ofToken) => {
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
    ])("answers 705 to %s, and generates no keys", async (_title, ask) => {
      const generate = jest.spyOn(NodeServerKeys.prototype, "generate");
      const answer = await ask();
      expect(answer).toMatchObject({
        status: 500,
        text: '{"status":{"internalStatus":"705","statusMessage":"Missing database configuration"}}',
      });
      expect(generate).not.toHaveBeenCalled();
      generate.mockRestore();
    });

    test("accepts no token", async () => {
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

    test(`leaves stored data unchanged: ${title}`, async () => {
      expect((await check(server.url, { authorization: good.authorization })).code).toBe("0");
      expect((await check(server.url, { "secure-token": good["secure-token"] })).headers["encrypted"]).toMatch(
        /^v=1;iv=/,
      );
      expect(openHybridAnswer((await post(`${server.url}/v2/login`, hybridBody())).text).status.internalStatus).toBe(
        "0",
      );
    });
  });
});

describe("secure session", () => {
  let postgres: PostgresFixture;
  let relay: TcpRelay;
  let server: RunningServer;
  let start: (bodyTimeout?: string) => Promise<RunningServer>;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    await (await postgres.demo(storedServerKeys)).close();
    relay = new TcpRelay(new URL(postgres.url));
    await relay.listen();
    const storage = { engine: "postgres", url: relay.url, schema: "sallyport_demo" };
    const databases = [{ alias: "", name: "demo", storage }];
    start = (body = "60s") =>
      postgres.configured({ server: { timeouts: { body } }, sessions: { perDevice: 1 }, databases }, storedServerKeys);
    server = await start();
  }, 60_000);
  afterAll(async () => {
    await relay.refuse();
    await postgres.close();
  });

  /**
   * Begins a message, runs a callback while the server waits for the rest, and sends the rest unless it is too late.
   */
  async function inTheMiddle(
    session: SecureSession,
    number: bigint,
    betweenAnswers: () => Promise<unknown>,
    at = server,
  ): Promise<SecureAnswer> {
    const iv = counterBlock(session, number);
    const body = encryptMessage(session, iv, '{"some":"message"}');
    const headers = {
      appkey: appKey,
      "secure-token": session.token,
      "content-type": "application/text",
      "content-length": body.length,
      encrypted: `v=1;iv=${iv.toString("base64")}`,
    };
    const answered = new Promise<SecureAnswer>((resolve, reject) => {
      const request = http.request(`${at.url}/_CheckSession`, { headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () =>
          resolve(openSecurely(session, { status: answer.statusCode ?? 0, headers: answer.headers, text })),
        );
      });
      request.on("error", reject).write(body.slice(0, 5));
      void awaited(1, at)
        .then(betweenAnswers)
        .then(() => request.end(body.slice(5)), reject);
    });
    const answer = await answered;
    await awaited(0, at);
    return answer;
  }

  /** Resolves when the server waits for this many bodies. */
  async function awaited(count: number, at: RunningServer): Promise<void> {
    let text = "";
    while (!text.includes(`sallyport_incomplete_bodies ${count}\n`))
      text = await (await fetch(`${at.url}/metrics`)).text();
  }

  test("that ends during a message answers it encrypted", async () => {
    const session = await logInSecurely(server);
    const answer = await inTheMiddle(session, 0n, () =>
      callSecurely(server, session, "/v1/logout", { method: "POST" }),
    );
    expect(answer).toMatchObject({ status: 401, code: "203", iv: expect.any(Buffer) });
    expect(await sendMessage(server, session, 1n)).toMatchObject({ code: "203", iv: null });
  });

  test("that is replaced during a message answers it encrypted, with its own key", async () => {
    const fields = { ...demoFields, device: { deviceId: "tablet" } };
    const session = await logInSecurely(server, fields);
    let next: SecureSession | undefined;
    const answer = await inTheMiddle(session, 0n, async () => {
      next = await logInSecurely(server, fields);
    });
    expect(answer).toMatchObject({ status: 401, code: "203", iv: expect.any(Buffer) });
    expect((await sendMessage(server, next as SecureSession, 0n)).code).toBe("0");
  });

  test("that expires during a message still accepts it", async () => {
    const session = await logInSecurely(server);
    const answer = await inTheMiddle(session, 0n, () =>
      postgres.sql.query("update sallyport_demo.sessions set expires_at = now() - interval '1 ms'"),
    );
    expect(answer).toMatchObject({ code: "0", iv: expect.any(Buffer) });
    expect(await sendMessage(server, session, 1n)).toMatchObject({ code: "203", iv: null });
  });

  test("whose database becomes unreachable during a message answers encrypted, and continues afterwards", async () => {
    const session = await logInSecurely(server);
    const answer = await inTheMiddle(session, 0n, () => relay.refuse());
    expect(answer).toMatchObject({ status: 500, code: "704", iv: expect.any(Buffer) });
    expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({ status: 500, code: "704", iv: null });
    await relay.listen();
    const after = await sendMessage(server, session, 1n);
    expect(after).toMatchObject({ code: "0", iv: expect.any(Buffer) });
    expect(after.iv).not.toEqual(answer.iv);
  });

  test("whose message never arrives answers encrypted", async () => {
    const session = await logInSecurely(server);
    const shortTimeout = await start("200ms");
    const answer = await inTheMiddle(session, 0n, () => awaited(0, shortTimeout), shortTimeout);
    expect(answer).toMatchObject({ status: 400, code: "699", iv: expect.any(Buffer) });
    expect((await sendMessage(server, session, 0n)).code).toBe("0");
  });

  test("survives a restart of its server, and neither direction starts over", async () => {
    const session = await logInSecurely(server);
    const before = await sendMessage(server, session, 3n);
    await server.close();
    server = await start();
    const after = [await sendMessage(server, session, 3n), await sendMessage(server, session, 4n)];
    expect([before, ...after].map(({ code }) => code)).toEqual(["0", "312", "0"]);
    expect(new Set([before, ...after].map(({ iv }) => iv?.toString("hex"))).size).toBe(3);
  });
});
