import { constants, createPublicKey, generateKeyPairSync, privateDecrypt, publicEncrypt } from "node:crypto";
import type { Json } from "@sallyport/testing/acceptance";
import { decryptAnswer, encryptFields, fetchServerKey, keySpellings } from "./encrypted-form.ts";
import { type Headers, readEnvelope, StrictClient } from "./strict-client.ts";
import { md5, json, logInFields } from "./log-in-fields.ts";
import { onPublicServers } from "./on-public-servers.ts";

const storeTime = /^\d{8}T\d{6}[+-]\d{2}:\d{2}$/;
const metaFields = {
  "~ClassName": expect.any(String),
  "~ObjectID": expect.stringMatching(/^[0-9A-Z]+$/),
  "~StoreTime": expect.stringMatching(storeTime),
};
const name = { Name1: expect.any(String), Name2: expect.any(String), Name3: expect.any(String) };
const image = { ...metaFields, "~ClassName": "Image" };

/** The user object of the specification, with exactly its members. */
const ownUser = {
  ...metaFields,
  "~ClassName": "User",
  Name: "demo",
  Description: expect.any(String),
  Groups: {
    "~Count": 1,
    "~UnfilteredCount": 1,
    "~Elements": [{ ...metaFields, "~ClassName": "UserGroup", Name: "Sales", Description: expect.any(String) }],
  },
  Employee: {
    ...metaFields,
    "~ClassName": "Employee",
    ...name,
    Bild: image,
    Mitarbeiteransprechpartner: { ...metaFields, "~ClassName": "ContactPerson", ...name, Bild: image },
  },
};

const sessionId = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/);
const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);

/** How public clients log in, and how they are refused. */
onPublicServers("log-ins of public clients", (server) => {
  const client = (headers: Headers = { appkey: "demo-app-key" }, alias = "") =>
    new StrictClient(server().url, headers, alias);
  const post = (path: string, body: unknown, headers: Headers = json) => ({ method: "POST", path, body, headers });

  describe("encrypted form of the log-in with a token", () => {
    let serverKey: string;
    beforeAll(async () => {
      serverKey = await fetchServerKey(client());
    });
    const logIn = async (body: unknown): Promise<Json> => decryptAnswer(await client().send(post("/v2/login", body)));

    test.each(Object.entries(keySpellings))("accepts a client key as %s", async (_spelling, publicKey) => {
      const data = await logIn(encryptFields(serverKey, logInFields("demo"), publicKey));
      expect(data).toEqual({ sessionId, token, user: ownUser, databaseName: "demo" });
    });

    test("accepts the device, an empty second factor token, and unknown members", async () => {
      const device = {
        deviceId: "pc-1",
        device: "phone",
        systemVersion: "17",
        deviceType: "mobile",
        systemType: "ios",
      };
      const data = await logIn(
        encryptFields(
          serverKey,
          logInFields("demo", {
            device,
            "2faToken": "",
            furtherencryption: false,
            clientVersion: "9.1",
            language: null,
          }),
        ),
      );
      expect(Object.keys(data).toSorted()).toEqual(["databaseName", "sessionId", "token", "user"]);
    });

    test("returns a session id and a token for one session, each for its own header", async () => {
      const data = await logIn(encryptFields(serverKey, logInFields("demo")));
      const check = { path: "/_CheckSession" };
      expect(await client().ok({ ...check, headers: { sessionid: data.sessionId } })).toEqual({});
      expect(await client().ok({ ...check, headers: { Authorization: data.token } })).toEqual({});
      expect(await client().ok({ ...check, headers: { Authorization: `Bearer ${data.token}` } })).toEqual({});
      await client().fails({ ...check, headers: { sessionid: data.token } }, 201);
      await client().fails({ ...check, headers: { Authorization: data.sessionId } }, 203);
      await client().ok(post("/v1/logout", undefined, { sessionid: data.sessionId }));
      await client().fails({ ...check, headers: { sessionid: data.sessionId } }, 201);
      await client().fails({ ...check, headers: { Authorization: data.token } }, 203);
    });

    test("may repeat its AES key", async () => {
      const [one, other] = [
        encryptFields(serverKey, logInFields("demo")),
        encryptFields(serverKey, logInFields("demo")),
      ];
      await logIn(one);
      await logIn(one);
      // Another message under a foreign key cannot be decrypted.
      await client().fails(post("/v2/login", { ...one, data: other.data }), 310);
    });

    test("refuses a captured message under another client key", async () => {
      const message = encryptFields(serverKey, logInFields("demo"));
      await logIn(message);
      const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({
        type: "spki",
        format: "pem",
      });
      await client().fails(post("/v2/login", { ...message, publicKey: other }), 310);
    });

    test.each<[title: string, body: (good: Record<string, string>) => unknown, code: number]>([
      ["no public key", ({ aesKey, data }) => ({ aesKey, data }), 205],
      ["no public key and no data", ({ aesKey }) => ({ aesKey }), 205],
      ["no AES key", ({ data, publicKey }) => ({ data, publicKey }), 206],
      ["no data", ({ aesKey, publicKey }) => ({ aesKey, publicKey }), 206],
      ["no data and a bad public key", ({ aesKey }) => ({ aesKey, publicKey: "x" }), 206],
      ["a bad public key", (good) => ({ ...good, publicKey: "x" }), 309],
      ["a bad public key and bad data", (good) => ({ ...good, data: "x", publicKey: "x" }), 309],
      ["data that are not base64", (good) => ({ ...good, data: "***" }), 310],
      ["truncated data", (good) => ({ ...good, data: good["data"]?.slice(0, -8) }), 310],
      ["a truncated AES key", (good) => ({ ...good, aesKey: good["aesKey"]?.slice(0, -8) }), 310],
      ["fields of invalid JSON", () => encryptFields(serverKey, "{"), 310],
      ["fields that are not an object", () => encryptFields(serverKey, "[]"), 310],
      ["no user", () => encryptFields(serverKey, { pass: "x", appNames: ["demo-app"] }), 301],
      ["a wrong password", () => encryptFields(serverKey, logInFields("demo", { pass: md5("wrong") })), 302],
      ["no app names", () => encryptFields(serverKey, logInFields("demo", { appNames: undefined })), 209],
      ["an unknown app name", () => encryptFields(serverKey, logInFields("demo", { appNames: ["nothing"] })), 208],
    ])("is refused in clear text for %s", async (_title, body, code) => {
      await client().fails(post("/v2/login", body(encryptFields(serverKey, logInFields("demo")))), code);
    });
  });

  describe("plain log-in", () => {
    test.each([
      ["/v1/login", { sessionId }],
      ["/v2/login", { token }],
      ["/v1/auth/df", { sessionId }],
    ])("%s answers user, database and one credential", async (path, credential) => {
      const custom = path === "/v1/auth/df";
      const user = custom ? expect.objectContaining({ Name: "reader" }) : ownUser;
      expect(await client().ok(post(path, logInFields(custom ? "partner" : "demo")))).toEqual({
        ...credential,
        user,
        databaseName: "demo",
      });
    });

    test.each<[title: string, more: object]>([
      ["the MD5 of the password", {}],
      ["the password itself", { pass: "demo" }],
      ["one app name as a text", { appNames: "demo-app" }],
      ["several app names", { appNames: ["demo-app", "demo-2fa"] }],
    ])("accepts %s", async (_title, more) => {
      expect(await client().ok(post("/v1/login", logInFields("demo", more)))).toEqual({
        sessionId,
        user: ownUser,
        databaseName: "demo",
      });
    });

    test.each<[title: string, body: unknown, code: number]>([
      ["no body", undefined, 300],
      ["invalid JSON", "{", 311],
      ["an array", [], 307],
      ["a forbidden name", '{"__proto__":{},"user":"demo"}', 307],
      ["no user", { pass: md5("demo"), appNames: ["demo-app"] }, 301],
      ["a blank user", logInFields(" "), 301],
      ["a user that is a number", logInFields("demo", { user: 5 }), 301],
      ["a user of 1,025 characters", logInFields("x".repeat(1_025)), 301],
      ["no password", logInFields("demo", { pass: undefined }), 301],
      ["no user and no app names", { pass: "x" }, 301],
      ["no app names", logInFields("demo", { appNames: undefined }), 209],
      ["an empty list of app names", logInFields("demo", { appNames: [] }), 208],
      ["a blank app name", logInFields("demo", { appNames: [""] }), 208],
      ["a number as an app name", logInFields("demo", { appNames: [5] }), 208],
      ["a duplicate app name", logInFields("demo", { appNames: ["demo-app", "demo-app"] }), 210],
      ["an unknown app name", logInFields("demo", { appNames: ["nothing"] }), 208],
      ["a wrong password", logInFields("demo", { pass: md5("wrong") }), 302],
      ["another password's MD5 in upper case", logInFields("demo", { pass: md5("other").toUpperCase() }), 302],
      ["an unknown user", logInFields("nobody"), 302],
      ["a user name in another case", logInFields("Demo", { pass: md5("demo") }), 302],
      ["an invalid device", logInFields("demo", { device: "phone" }), 307],
    ])("is refused for %s", async (_title, body, code) => {
      for (const path of ["/v1/login", "/v2/login"]) await client().fails(post(path, body), code);
    });

    test("is refused for a body of more than 64 KiB", async () => {
      await client().fails(post("/v1/login", logInFields("demo", { more: "x".repeat(65_536) })), 801);
    });
  });

  describe("secure log-in of the first generation", () => {
    // Blocks of SHA-1 padding, the default of most cryptographic libraries of clients.
    const sha1 = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" };
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const publicKey = pair.publicKey.export({ type: "spki", format: "der" }).toString("base64");
    const inBlocks = (bytes: Buffer, length: number, work: (block: Buffer) => Buffer) =>
      Buffer.concat(
        Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
          work(bytes.subarray(index * length, (index + 1) * length)),
        ),
      );

    test.each(["publicKey", "publickey"])("returns a session id for plain requests, with %s", async (spelling) => {
      const { key } = await client().ok({ path: "/v2/login/secure/key", headers: json });
      const fields = Buffer.from(JSON.stringify(logInFields("demo", { furtherencryption: false })));
      const credentials = inBlocks(fields, 214, (block) =>
        publicEncrypt({ key: createPublicKey(key), ...sha1 }, block),
      ).toString("base64");
      const { text, ...answer } = await client().send(post("/v2/login/secure", { credentials, [spelling]: publicKey }));
      expect([answer.status, answer.headers["content-type"], answer.headers["encrypted"]]).toEqual([
        200,
        "text/plain; charset=utf-8",
        "v=1",
      ]);
      const plain = inBlocks(Buffer.from(text, "base64"), 256, (block) =>
        privateDecrypt({ key: pair.privateKey, ...sha1 }, block),
      ).toString();
      const headers = {
        ...answer.headers,
        "content-type": "application/json; charset=utf-8",
        "content-length": String(Buffer.byteLength(plain)),
      };
      const { data } = readEnvelope({ status: 200, headers, text: plain }, "0");
      expect(data).toEqual({ sessionId, user: ownUser, databaseName: "demo" });
      expect(await client().ok({ path: "/_CheckSession", headers: { sessionId: data.sessionId } })).toEqual({});
    });
  });

  describe("order of checks", () => {
    const login = "/v1/login";
    test.each<
      [title: string, message: { method?: string; path: string; headers?: Headers; body?: unknown }, code: number]
    >([
      ["path before method", { method: "DELETE", path: "/v1/nothing" }, 304],
      ["path before app key", { path: "/v1/nothing" }, 304],
      ["method before app key", { method: "DELETE", path: login }, 305],
      ["a missing app key before everything in the request", { method: "POST", path: login }, 100],
      ["a blank app key as missing", { method: "POST", path: login, headers: { appkey: " " } }, 100],
      ["a wrong app key before the content type", { method: "POST", path: login, headers: { appkey: "wrong" } }, 101],
      ["two app keys", { method: "POST", path: login, headers: { appkey: ["demo-app-key", "wrong"] } }, 101],
      ["the app key before the session", { path: "/_CheckSession", headers: { sessionId: "x" } }, 100],
      [
        "a blank session before the content type",
        { method: "POST", path: "/v1/object/Customer", headers: { appkey: "demo-app-key", sessionId: "" }, body: "{" },
        204,
      ],
      [
        "a wrong session before the content type",
        { method: "POST", path: "/v1/object/Customer", headers: { appkey: "demo-app-key", sessionId: "x" }, body: "{" },
        201,
      ],
      ["the content type before the body", { method: "POST", path: login, headers: { appkey: "demo-app-key" } }, 207],
      [
        "a content type other than JSON",
        { method: "POST", path: login, headers: { appkey: "demo-app-key", "Content-Type": "text/plain" }, body: "{}" },
        207,
      ],
      [
        "the presence of a body before its JSON",
        { method: "POST", path: login, headers: { appkey: "demo-app-key", ...json } },
        300,
      ],
      [
        "the JSON of a body before its fields",
        { method: "POST", path: login, headers: { appkey: "demo-app-key", ...json }, body: "user" },
        311,
      ],
    ])("%s", async (_title, message, code) => {
      const { headers } = await client({}).fails(message, code);
      if (code === 305) expect(headers["allow"]).toBe("POST");
    });

    test("a header does not change the method", () =>
      client().fails({ method: "POST", path: "/_CheckService", headers: { "X-HTTP-Method-Override": "GET" } }, 305));
  });

  test.each<[title: string, headers: Headers]>([
    ["no header", {}],
    ["an app key that is unknown", { appkey: "wrong" }],
    ["an empty session id", { sessionId: "" }],
    ["a content type", json],
  ])("the service check accepts %s", async (_title, headers) => {
    const data = await client({}).ok({ path: "/_CheckService", headers });
    expect(data).toEqual({
      applicationName: expect.any(String),
      applicationVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    const [major = 0, minor = 0] = data.applicationVersion.split(".").map(Number);
    expect(major * 1_000 + minor).toBeGreaterThanOrEqual(2_002);
  });

  test("another database has the same paths after its alias, and its own sessions", async () => {
    const second = client(undefined, "second");
    expect(await second.ok({ path: "/_CheckService" })).toEqual(await client().ok({ path: "/_CheckService" }));
    const data = await second.ok(post("/v1/login", logInFields("demo")));
    expect(data).toEqual({ sessionId, user: ownUser, databaseName: "second" });
    await client().fails({ path: "/_CheckSession", headers: { sessionId: data.sessionId } }, 201);
    expect(await second.ok({ path: "/_CheckSession", headers: { sessionId: data.sessionId } })).toEqual({});
    await client(undefined, "third").fails({ path: "/_CheckService" }, 304);
  });
});
