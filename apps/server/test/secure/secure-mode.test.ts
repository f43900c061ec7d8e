import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  callSecurely,
  clientPublicKey,
  counterBlock,
  demoFields,
  encryptFor,
  logInSecurely,
  postSecureLogIn,
  sendMessage,
  serverKey,
} from "./secure-client.ts";

describe("secure mode", () => {
  const codeOf = async (answer: Response): Promise<string> => {
    expect(answer.headers.get("encrypted")).toBeNull();
    return ((await answer.json()) as { status: { internalStatus: string } }).status.internalStatus;
  };

  let postgres: PostgresFixture;
  let server: RunningServer;
  let key: string;
  const masterKey = randomBytes(32).toString("base64");
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo({ MASTER_KEY: masterKey });
    key = await serverKey(server);
  }, 60_000);
  afterAll(() => postgres.close());

  const credentials = (fields: unknown = demoFields) => encryptFor(key, JSON.stringify(fields)).toString("base64");
  const logInWith = async (body: object) => codeOf(await postSecureLogIn(server, body));

  describe("log-in", () => {
    test("opens a session with encrypted answers, including failures", async () => {
      const session = await logInSecurely(server);
      const object = await callSecurely(server, session, "/v1/objects/Customer?perPage=1");
      expect(object).toMatchObject({ status: 200, code: "0", body: { data: { "~Count": 200 } } });
      const missing = await callSecurely(server, session, "/v1/object/nothing");
      expect(missing).toMatchObject({ status: 404, code: "304" });
      expect(object.iv?.subarray(0, 4)).toEqual(Buffer.concat([Buffer.of(2), session.ivPrefix] as Uint8Array[]));
      expect(missing.iv).not.toEqual(object.iv);
    });

    test("refuses captured credentials from another client", async () => {
      const captured = credentials();
      const mine = await postSecureLogIn(server, { credentials: captured, publicKey: clientPublicKey });
      expect(mine.headers.get("encrypted")).toBe("v=1");
      const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      const theirs = publicKey.export({ type: "spki", format: "pem" });
      expect(await logInWith({ credentials: captured, publicKey: theirs })).toBe("310");
      const { rows } = await postgres.sql.query(
        "select count(*)::int as n from sallyport_demo.audit where type = 'credentials.replayed'",
      );
      expect(rows).toEqual([{ n: 1 }]);
    });

    test("reports invalid fields in clear text", async () => {
      expect(
        await logInWith({ credentials: credentials({ ...demoFields, pass: "wrong" }), publicKey: clientPublicKey }),
      ).toBe("302");
      expect(
        await logInWith({
          credentials: credentials({ ...demoFields, appNames: undefined }),
          publicKey: clientPublicKey,
        }),
      ).toBe("209");
    });
  });

  describe("traffic", () => {
    test("accepts a message once, and gaps in the numbers", async () => {
      const session = await logInSecurely(server);
      const codes = [];
      for (const number of [0n, 0n, 5n, 1n, 5n, 2n ** 64n - 1n, 6n])
        codes.push((await sendMessage(server, session, number)).code);
      expect(codes).toEqual(["0", "312", "0", "0", "312", "0", "312"]);
    });

    test("refuses a message that does not belong to the session", async () => {
      const session = await logInSecurely(server);
      const other = { ...session, ivPrefix: Buffer.from(session.ivPrefix.map((byte) => byte ^ 1) as Uint8Array) };
      const inTheMiddle = counterBlock(session, 2n);
      inTheMiddle.writeUInt32BE(1, 12);
      const ivs = [counterBlock(session, 0n, 2), counterBlock(other, 1n), inTheMiddle];
      for (const iv of ivs) expect((await sendMessage(server, session, 0n, { iv })).code).toBe("312");
      expect((await sendMessage(server, session, 3n, { text: "no JSON" })).code).toBe("312");
      const text = { method: "POST", headers: { "content-type": "application/text" }, body: "e30=" };
      expect((await callSecurely(server, session, "/v1/logout", text)).code).toBe("312");
      const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
      expect(await callSecurely(server, session, "/v1/logout", json)).toMatchObject({ status: 406, code: "207" });
      expect((await sendMessage(server, session, 0n)).code).toBe("0");
    });

    test("ends with the log-out, whose answer is still encrypted", async () => {
      const session = await logInSecurely(server);
      const end = await callSecurely(server, session, "/v1/logout", { method: "POST" });
      expect(end).toMatchObject({ status: 200, code: "0", iv: expect.any(Buffer) });
      expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({
        status: 401,
        code: "203",
        iv: null,
      });
    });

    test("never repeats a number on another server, or after a restart", async () => {
      const session = await logInSecurely(server);
      const second = await postgres.demo({ MASTER_KEY: masterKey });
      const seen = new Set<string>();
      for (let round = 0; round < 300; round += 1) {
        const { iv } = await callSecurely(round % 2 === 0 ? server : second, session, "/_CheckSession");
        seen.add(iv?.toString("hex") ?? "clear");
      }
      expect(seen.size).toBe(300);
      expect(seen.has("clear")).toBe(false);
    });

    test("never repeats a number if a copy of the database is put back, once or twice", async () => {
      const session = await logInSecurely(server);
      await callSecurely(server, session, "/_CheckSession");
      const { rows } = await postgres.sql.query("select session, next_out from sallyport_demo.channels");
      const servers = [server];
      const seen: string[] = [];
      for (let copy = 0; copy < 2; copy += 1) {
        // A copy has the numbers of its time.
        for (const { session: digest, next_out: next } of rows)
          await postgres.sql.query("update sallyport_demo.channels set next_out = $2 where session = $1", [
            digest,
            next,
          ]);
        servers.push(await postgres.demo({ MASTER_KEY: masterKey }));
        for (let round = 0; round < 150; round += 1) {
          for (const each of servers)
            seen.push((await callSecurely(each, session, "/_CheckSession")).iv?.toString("hex") ?? "clear");
        }
      }
      expect(seen).not.toContain("clear");
      expect(new Set(seen).size).toBe(seen.length);
    });

    test("answers 314 when the key of the session cannot be unwrapped", async () => {
      const session = await logInSecurely(server);
      await postgres.sql.query("update sallyport_demo.channels set wrapped_key = 'x' || wrapped_key");
      expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({
        status: 500,
        code: "314",
        iv: null,
      });
      // The session can still be ended.
      expect(await callSecurely(server, session, "/v1/logout", { method: "POST" })).toMatchObject({
        status: 200,
        code: "0",
        iv: null,
      });
      expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({ status: 401, code: "203" });
    });
  });

  test("has a credential that is invalid in the other modes", async () => {
    const { token } = await logInSecurely(server);
    const answers = [{ sessionid: token }, { authorization: token }].map(async (headers) => {
      const answer = await fetch(`${server.url}/_CheckSession`, { headers: { appkey: "demo-app-key", ...headers } });
      return codeOf(answer);
    });
    expect(await Promise.all(answers)).toEqual(["201", "203"]);
  });
});
