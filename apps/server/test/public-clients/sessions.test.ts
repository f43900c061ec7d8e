import { createHmac } from "node:crypto";
import type { Json } from "@sallyport/testing/acceptance";
import { decryptAnswer, encryptFields, fetchServerKey } from "./encrypted-form.ts";
import { type Message, StrictClient } from "./strict-client.ts";
import { json, logInFields } from "./log-in-fields.ts";
import { onPublicServers } from "./on-public-servers.ts";

const appKey = { appkey: "demo-app-key" };

/** Codes that clients treat as a lost session; they treat 200 as a success. */
const lost = ["201", "204"];

/** Behaves like public clients: with one session, and one more log-in for a request that lost it. */
class PublicClient {
  logIns = 0;
  sessionId = "";

  constructor(
    private readonly client: StrictClient,
    private readonly fields: object,
  ) {}

  async logIn(): Promise<Json> {
    const serverKey = await fetchServerKey(this.client);
    const answer = await this.client.send({
      method: "POST",
      path: "/v2/login",
      headers: { ...json, sessionId: "" },
      body: encryptFields(serverKey, this.fields),
    });
    const data = decryptAnswer(answer);
    this.logIns += 1;
    this.sessionId = data.sessionId;
    return data;
  }

  /** The final code. */
  async code(message: Message): Promise<string> {
    const first = await this.client.codeOf(this.with(message));
    if (!lost.includes(first)) return first;
    await this.logIn();
    return this.client.codeOf(this.with(message));
  }

  with(message: Message): Message {
    return { ...message, headers: { ...json, sessionid: this.sessionId, ...message.headers } };
  }
}

/** Six digits of RFC 6238: SHA-1, 30 seconds. */
function totp(secret: string, step: number): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((digit) => digits.indexOf(digit).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(counter).digest();
  const start = (mac[19] as number) & 15;
  return String((mac.readUInt32BE(start) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Sessions of public clients. `missing`: the code for a request without any credential. */
onPublicServers(
  "sessions of public clients",
  (server, missing) => {
    const client = () => new StrictClient(server().url, appKey);
    const check: Message = { path: "/_CheckSession" };

    test("a session is valid from the log-in to the log-out", async () => {
      const work = new PublicClient(client(), logInFields("demo"));
      const { user } = await work.logIn();
      expect(user.Name).toBe("demo");
      expect(await client().ok(work.with(check))).toEqual({});
      expect(Object.keys(await client().ok(work.with({ path: "/_CheckService" })))).toEqual([
        "applicationName",
        "applicationVersion",
      ]);
      expect((await client().ok(work.with({ path: "/v1/objects/Customer?perPage=1" })))["~Elements"]).toHaveLength(1);
      expect(await client().ok(work.with({ method: "POST", path: "/v1/execute/Echo", body: { a: 1 } }))).toEqual({
        a: 1,
      });
      expect(await client().ok(work.with({ method: "POST", path: "/v1/logout" }))).toEqual({});
      await client().fails(work.with(check), 201);
      await client().fails(work.with({ method: "POST", path: "/v1/logout" }), 201);
      await client().fails(work.with({ path: "/v1/objects/Customer" }), 201);
    });

    test.each<[title: string, spoil: (work: PublicClient, id: string) => unknown]>([
      ["has ended", (_work, id) => client().ok({ method: "POST", path: "/v1/logout", headers: { sessionId: id } })],
      ["is forgotten", (work) => (work.sessionId = "")],
      ["is damaged", (work) => (work.sessionId = work.sessionId.slice(1))],
    ])("a request whose session %s succeeds after one log-in", async (_title, spoil) => {
      const work = new PublicClient(client(), logInFields("demo"));
      await work.logIn();
      await spoil(work, work.sessionId);
      expect([await work.code({ path: "/v1/objects/Customer?perPage=1" }), work.logIns]).toEqual(["0", 2]);
      expect([await work.code(check), work.logIns]).toEqual(["0", 2]);
    });

    test("any number of log-ins without log-outs works", async () => {
      const work = new PublicClient(client(), logInFields("demo", { device: { deviceId: "many" } }));
      for (let count = 0; count < 7; count += 1) {
        await work.logIn();
        expect(await client().ok(work.with(check))).toEqual({});
      }
    });

    test.each<[title: string, headers: Record<string, string | string[]>, code: number]>([
      ["no credential", {}, missing],
      [
        "no credential and a text that should be encrypted",
        { "Content-Type": "application/text" },
        missing === 200 ? 202 : 204,
      ],
      ["a blank session id", { sessionId: "" }, 204],
      ["a session id of blanks", { SESSIONID: "   " }, 204],
      ["a blank token", { "Secure-Token": "" }, 204],
      ["a blank Authorization", { Authorization: "" }, 204],
      ["an invalid session id", { sessionId: "x" }, 201],
      ["two session ids", { sessionId: ["x", "y"] }, 201],
      ["an invalid token", { Authorization: "Bearer x" }, 203],
      ["an invalid secure token", { "Secure-Token": "x" }, 203],
      ["a session id and a token", { sessionId: "x", Authorization: "y" }, 203],
    ])("refuses %s", async (_title, headers, code) => {
      for (const path of ["/_CheckSession", "/v1/objects/Customer", "/v1/model/structure"])
        await client().fails({ path, headers }, code);
      await client().fails({ method: "POST", path: "/v1/logout", headers }, code);
    });

    test.each<[title: string, headers: (id: string) => Record<string, string | string[]>, code: number]>([
      ["lower case", (sessionid) => ({ sessionid }), 0],
      ["upper case", (SESSIONID) => ({ SESSIONID }), 0],
      ["the same id twice", (id) => ({ sessionId: [id, id] }), 0],
      ["the id and another", (id) => ({ sessionId: [id, "x"] }), 201],
      ["the id and a blank Authorization", (sessionId) => ({ sessionId, Authorization: "" }), 0],
      ["the id and a token", (sessionId) => ({ sessionId, Authorization: "x" }), 203],
      ["the id as a secure token", (id) => ({ "Secure-Token": id }), 203],
      ["an app key in upper case", (sessionId) => ({ sessionId, APPKEY: "demo-app-key" }), 0],
    ])("accepts or refuses a session id: %s", async (_title, headers, code) => {
      const work = new PublicClient(client(), logInFields("demo"));
      await work.logIn();
      expect(await client().codeOf({ ...check, headers: headers(work.sessionId) })).toBe(String(code));
    });

    test("an optional second factor is set up, required at every log-in, and disabled", async () => {
      const app = "demo-2fa";
      const path = `/v1/2fa/secret?app=${app}`;
      const logIn = (more = {}): Message => ({
        method: "POST",
        path: "/v1/login",
        headers: json,
        body: logInFields("reader", { appNames: [app], ...more }),
      });
      const session = async (more = {}) => ({ ...json, sessionid: (await client().ok(logIn(more))).sessionId });
      const headers = await session({ "2faToken": "" });
      expect(await client().ok({ path, headers })).toEqual({ isActivated: false, isConfirmed: false, "2faStatus": 2 });
      const { secret, ...more } = await client().ok({ method: "POST", path, headers });
      expect({ secret, ...more }).toEqual({
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        otpauthUrl: expect.stringMatching(/^otpauth:\/\/totp\//),
        recoveryCodes: expect.any(Array),
      });
      expect(await client().ok({ path, headers })).toEqual({ isActivated: true, isConfirmed: false, "2faStatus": 2 });
      expect(await client().codeOf(logIn())).toBe("0");
      const step = Math.floor(Date.now() / 30_000);
      await client().fails({ method: "PATCH", path, headers }, 341);
      await client().fails({ method: "PATCH", path, headers, body: { token: "000000x" } }, 342);
      expect(await client().ok({ method: "PATCH", path, headers, body: { token: totp(secret, step) } })).toEqual({});
      expect(await client().ok({ path, headers })).toEqual({ isActivated: true, isConfirmed: true, "2faStatus": 2 });

      for (const [token, code] of [
        [undefined, 341],
        ["", 341],
        ["000000x", 342],
        [totp(secret, step), 342],
      ] as const)
        await client().fails(logIn({ "2faToken": token }), code);
      await client().fails(logIn({ "2faToken": totp(secret, step + 1), pass: "wrong" }), 302);
      const later = await session({ "2faToken": totp(secret, step + 1) });
      const validate = (body?: object): Message => ({
        method: "POST",
        path: `/v1/2fa/validate?app=${app}`,
        headers: later,
        ...(body && { body }),
      });
      await client().fails(validate(), 341);
      await client().fails(validate({ token: totp(secret, step + 1) }), 342);
      expect(await client().ok(validate({ token: more.recoveryCodes[0] }))).toEqual({});
      await client().fails({ method: "DELETE", path, headers: later }, 341);
      expect(
        await client().ok({ method: "DELETE", path, headers: later, body: { token: more.recoveryCodes[1] } }),
      ).toEqual({});
      expect(await client().codeOf(logIn())).toBe("0");
      for (const [query, code] of [
        ["", 209],
        ["?app=", 208],
        ["?app=nothing", 208],
      ] as const)
        await client().fails({ path: `/v1/2fa/secret${query}`, headers: later }, code);
    });

    test("a user without a factor must set up a forced one", async () => {
      const body = logInFields("reader", { appNames: ["public-forced"] });
      for (const path of ["/v1/login", "/v2/login"])
        await client().fails({ method: "POST", path, headers: json, body }, 340);
      const serverKey = await fetchServerKey(client());
      await client().fails(
        { method: "POST", path: "/v2/login", headers: json, body: encryptFields(serverKey, body) },
        340,
      );
    });
  },
  { differs: true },
);
