import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as sallyport from "@sallyport/client";
import { ChannelError, SallyportError } from "@sallyport/client";
import * as files from "@sallyport/client/files";
import * as identity from "@sallyport/client/identity";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import { transform } from "esbuild";
import { refusal, success, user, FakeServer } from "./fake-server.ts";
import { connected, demo, loggedIn, logInOptions, logInPaths, modes } from "./modes.ts";

describe("log in", () => {
  const digest = createHash("md5").update("demo").digest("hex");
  /** Generating a key pair can take long on a busy machine. */
  const keysInTheMaking = 60_000;

  describe.each(modes)("log-in in mode %s", (mode) => {
    test("opens a session, and returns the user and the database", async () => {
      const { client } = connected();
      expect(client.session).toBeUndefined();
      await expect(client.logIn(logInOptions(mode))).resolves.toEqual({ mode, user, databaseName: "demo" });
      expect(client.session?.mode).toBe(mode);
      await expect(client.checkSession()).resolves.toBe(true);
    });

    test("sends the password only in the requested form", async () => {
      const { server, client } = connected();
      await client.logIn(logInOptions(mode));
      await client.logIn(logInOptions(mode, { passwordHash: "none" }));
      const bodies = server.arrived.filter(({ path }) => path === logInPaths[mode]).map(({ wire }) => wire);
      expect(bodies).toHaveLength(2);
      const inClear = mode === "session" || mode === "token";
      expect(bodies[0]?.includes(digest)).toBe(inClear);
      expect(bodies[1]?.includes('"pass":"demo"')).toBe(inClear);
      expect(bodies.map((body) => body.includes('"user"'))).toEqual([inClear, inClear]);
    });

    test("fails with the code of the server", async () => {
      const { client } = connected();
      const outcome = client.logIn(logInOptions(mode, { password: "wrong" }));
      await expect(outcome).rejects.toBeInstanceOf(SallyportError);
      await expect(outcome).rejects.toMatchObject({ code: 302, httpStatus: 403, requestId: "r-1" });
      expect(client.session).toBeUndefined();
    });

    test("reports how long to wait", async () => {
      const { server, client } = connected();
      server.routes.set(logInPaths[mode], () => refusal(302, 403, { "retry-after": "30" }));
      await expect(client.logIn(logInOptions(mode))).rejects.toMatchObject({ code: 302, retryAfter: 30 });
    });

    test("ends the previous session once the new one is open", async () => {
      const { server, client } = await loggedIn(mode);
      const [first] = server.sessions;
      await client.logIn(logInOptions(mode));
      expect(server.sessions.size).toBe(1);
      expect(server.sessions.has(first as never)).toBe(false);
      expect(server.log.at(-1)).toBe("POST /v1/logout");
      await expect(client.checkSession()).resolves.toBe(true);
    });

    test("keeps the previous session when it fails", async () => {
      const { client } = await loggedIn(mode);
      await expect(client.logIn(logInOptions(mode, { password: "wrong" }))).rejects.toMatchObject({ code: 302 });
      await expect(client.checkSession()).resolves.toBe(true);
    });

    test("refuses an answer without a credential", async () => {
      const { server, client } = connected();
      server.routes.set(logInPaths[mode], () => success({ user, databaseName: "demo" }));
      await expect(client.logIn(logInOptions(mode))).rejects.toMatchObject({
        reason: expect.stringMatching(/^(?:foreign|clear)-answer$/),
      });
      expect(client.session).toBeUndefined();
    });
  });

  test("a log-in sends device, app names and second factor", async () => {
    const { server, client } = connected();
    await client.logIn({
      ...demo,
      mode: "session",
      appNames: ["a", "b"],
      device: { deviceId: "d-1", systemType: "any" },
      twoFactorToken: "123456",
    });
    expect(JSON.parse(server.arrived[0]?.body ?? "")).toEqual({
      user: "demo",
      pass: digest,
      appNames: ["a", "b"],
      device: { deviceId: "d-1", systemType: "any" },
      "2faToken": "123456",
    });
  });

  test("a log-in in an unknown mode is refused before anything is sent", async () => {
    const { server, client } = connected();
    await expect(client.logIn({ ...demo, mode: "open" } as never)).rejects.toThrow(TypeError);
    expect(server.arrived).toEqual([]);
  });

  describe("secure log-in", () => {
    test("can be padded with SHA-1", async () => {
      const { server, client } = connected();
      server.padding = "OAEP-SHA-1";
      await client.logIn(logInOptions("secure", { padding: "OAEP-SHA-1", keyPair: await storedKeyPair("SHA-1") }));
      await expect(client.checkSession()).resolves.toBe(true);
    });

    test("of a user with a long name takes several blocks", async () => {
      const { server, client } = connected();
      await client.logIn(logInOptions("secure", { appNames: Array.from({ length: 60 }, (_, n) => `app-ü-${n}`) }));
      const { credentials } = JSON.parse(server.arrived.at(-1)?.wire ?? "");
      expect(Buffer.from(credentials, "base64").length).toBeGreaterThanOrEqual(3 * 256);
    });

    test(
      "generates a new key pair each time",
      async () => {
        const { server, client } = connected();
        await client.logIn({ ...demo, mode: "secure" });
        await client.logIn({ ...demo, mode: "secure" });
        const keys = server.arrived
          .filter(({ path }) => path === "/v2/login/secure")
          .map(({ wire }) => JSON.parse(wire).publicKey);
        expect(new Set(keys).size).toBe(2);
      },
      keysInTheMaking,
    );

    test.each([
      ["lacks the key", { ivPrefix: "AAAA" }],
      ["has a short key", { symmetricKey: "AAAA", ivPrefix: "AAAA" }],
      ["has a long prefix", { symmetricKey: Buffer.alloc(32).toString("base64"), ivPrefix: "AAAAAAAA" }],
      ["has numbers in place of texts", { symmetricKey: 1, ivPrefix: 2 }],
    ])("is refused when the answer %s", async (_title, keys) => {
      const { createPublicKey, publicEncrypt, constants } = await import("node:crypto");
      const { server, client } = connected();
      server.routes.set("/v2/login/secure", ({ body }) => {
        const key = createPublicKey({
          key: Buffer.from(JSON.parse(body).publicKey, "base64"),
          format: "der",
          type: "spki",
        });
        const plain = JSON.stringify({
          status: { internalStatus: "0", statusMessage: "ok" },
          data: { sessionId: "s", ...keys },
        });
        const cipher = publicEncrypt(
          { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" },
          Buffer.from(plain),
        );
        return new Response(cipher.toString("base64"), { headers: { encrypted: "v=1" } });
      });
      await expect(client.logIn(logInOptions("secure"))).rejects.toMatchObject({
        name: "ChannelError",
        reason: "log-in-answer",
      });
    });
  });

  describe.each(["encrypted", "secure"] as const)("keys of mode %s", (mode) => {
    const keyPath = mode === "secure" ? "/v2/login/secure/key" : "/v2/login/key";

    test("come from both sides", async () => {
      const { server, client } = connected();
      const keyPair = await storedKeyPair("SHA-256", "rsa4096");
      await client.logIn(logInOptions(mode, { keyPair }));
      expect(server.log).toEqual([`GET ${keyPath}`, `POST ${logInPaths[mode]}`]);
      const { publicKey } = JSON.parse(server.arrived[1]?.wire ?? "");
      expect(publicKey).toBe(
        Buffer.from(await globalThis.crypto.subtle.exportKey("spki", keyPair.publicKey)).toString("base64"),
      );
    });

    test("can be supplied, and then nothing is fetched, even over plain HTTP", async () => {
      const { server, client } = connected({ baseUrl: "http://db.example" });
      await client.logIn(logInOptions(mode, { serverKey: secureMode.serverKey.publicPem }));
      expect(server.log).toEqual([`POST ${logInPaths[mode]}`]);
    });

    test("are not fetched over plain HTTP from another machine, unless allowed", async () => {
      const { server, client } = connected({ baseUrl: "http://db.example" });
      await expect(client.logIn(logInOptions(mode))).rejects.toMatchObject({
        name: "ChannelError",
        reason: "unprotected-key",
      });
      expect(server.arrived).toEqual([]);
      await client.logIn(logInOptions(mode, { allowUnprotectedKey: true }));
      await expect(client.checkSession()).resolves.toBe(true);
    });

    test("are fetched over plain HTTP from the same machine", async () => {
      const { client } = connected({ baseUrl: "http://127.0.0.1:8080" });
      await expect(client.logIn(logInOptions(mode))).resolves.toMatchObject({ mode });
    });

    test("that do not match are refused before anything is sent", async () => {
      const { server, client } = connected();
      await expect(client.logIn(logInOptions(mode, { keyPair: await storedKeyPair("SHA-1") }))).rejects.toThrow(
        TypeError,
      );
      expect(server.arrived).toEqual([]);
    });

    test("that are invalid end the log-in", async () => {
      const { server, client } = connected();
      server.routes.set(keyPath, () => success({ key: "?" }));
      await expect(client.logIn(logInOptions(mode))).rejects.toMatchObject({ reason: "server-key" });
      expect(server.count(`POST ${logInPaths[mode]}`)).toBe(0);
    });

    test("that are missing are reported by the server", async () => {
      const { server, client } = connected();
      server.routes.set(keyPath, () => refusal(705, 500));
      await expect(client.logIn(logInOptions(mode))).rejects.toMatchObject({ code: 705 });
    });

    test("detect an answer for another client", async () => {
      const { server, client } = connected();
      server.routes.set(logInPaths[mode], () => new Response("AAAA", { headers: { encrypted: "v=1" } }));
      const outcome = client.logIn(logInOptions(mode));
      await expect(outcome).rejects.toBeInstanceOf(ChannelError);
      await expect(outcome).rejects.toMatchObject({ reason: "log-in-answer" });
    });

    test("detect an answer in clear text", async () => {
      const { server, client } = connected();
      server.routes.set(logInPaths[mode], () => success({ sessionId: "s", token: "t", user, databaseName: "demo" }));
      await expect(client.logIn(logInOptions(mode))).rejects.toMatchObject({ reason: "clear-answer" });
    });
  });
});

describe("guide", () => {
  const guide = readFileSync(new URL("../../../docs/guides/client.md", import.meta.url), "utf8");
  const examples = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => String(code));

  /** An example as the body of a function: its imports become the exports of the package. */
  async function runnable(example: string): Promise<string> {
    const { code } = await transform(example, { loader: "ts", target: "es2022" });
    return code
      .replaceAll(/^import type .*;$/gm, "")
      .replaceAll(/^import (\{[^}]+\}) from "@sallyport\/client";$/gm, "const $1 = sallyport;")
      .replaceAll(/^import (\{[^}]+\}) from "@sallyport\/client\/(\w+)";$/gm, "const $1 = $2;");
  }

  function serverOf(lines: string[]): FakeServer {
    const server = new FakeServer();
    const customer = { ...user, "~ClassName": "Customer", Name: "Zoë" };
    const list = () => success({ "~Count": 1, "~UnfilteredCount": 1, "~Elements": [customer] });
    server.routes.set("session /v1/objects/Customer", list);
    server.routes.set("session /v1/object/Customer", ({ body }) =>
      success({ ...customer, ...JSON.parse(body) }, { etag: '"1"' }),
    );
    server.routes.set("session /v1/object/G", ({ method, body, headers }) => {
      if (method === "GET") return success({ Name: "demo" }, { etag: '"1"' });
      return headers.get("if-match") === '"1"'
        ? success({ ...customer, ...JSON.parse(body) }, { etag: '"2"' })
        : refusal(713, 500);
    });
    const attribute = { name: "Name", type: "string", mandatory: true, indexed: false, inherited: false };
    const structure = {
      name: "Customer",
      base: null,
      builtIn: false,
      attributes: [attribute],
      permissions: [],
      rights: [],
    };
    server.routes.set("session /v1/model/structure", () => success({ classes: [structure] }, { etag: '"4"' }));
    server.routes.set("session /v1/model/structure/Customer", ({ body, headers }) =>
      headers.get("if-match") === '"4"' ? success({ ...structure, ...JSON.parse(body) }) : refusal(713, 500),
    );
    server.routes.set("session /v1/multi", ({ body }) =>
      success(
        JSON.parse(body).map(({ path }: { path: string }) =>
          path.startsWith("/v1/object/G?")
            ? {
                httpStatus: 200,
                result: { status: { internalStatus: "0", statusMessage: "ok" }, data: "the customer" },
              }
            : { httpStatus: 404, result: { status: { internalStatus: "304", statusMessage: "Invalid path" } } },
        ),
      ),
    );
    server.routes.set("/v1/auth/df", () => {
      server.sessions.add({ header: "sessionid", value: "custom" });
      return success({ sessionId: "custom", user, databaseName: "demo" });
    });
    server.routes.set("session /v1/changePassword", () => success({ confirmationRequired: true }));
    const file = {
      ...user,
      "~ClassName": "File",
      "~ObjectID": "1AB",
      Name: "note.txt",
      Size: 13,
      Sha256: createHash("sha256").update("Hello, files!").digest("hex"),
    };
    server.routes.set("session /v1/uploadFile", () => success({ uploadId: "u", ranges: [] }));
    server.routes.set("session /v1/uploadFile/u", ({ body }) =>
      success(body.includes("Hello, files!") ? { uploadId: "u", ranges: [{ first: 0, last: 12 }] } : file),
    );
    server.routes.set("session /v1/object/1AB", () => success(file));
    server.routes.set("session /v1/file/1AB", () => new Response("Hello, files!", { headers: { etag: '"7"' } }));
    server.routes.set("session /v1/object/ZZZZZZ", () => refusal(304, 404));
    server.routes.set("session /v1/execute/myMacro", ({ body }) => {
      lines.push(`the macro got ${body}`);
      return success({ done: true });
    });
    return server;
  }

  const expected = [
    ["G in demo", "Zoë"],
    [],
    ['demo "1"', "1 1"],
    ["Zoë", "1"],
    ['Graz "2"'],
    ["the customer 304"],
    ["Name, Email"],
    ["1AB 13", "note.txt 13"],
    ["A code is on its way.", "2f1c"],
    [],
    ['the macro got {"a":1}', '{"status":{"internalStatus":"0","statusMessage":"ok"},"data":{"done":true}}'],
    ["304 404 r-1 "],
  ];

  test("every expectation has an example", () => {
    expect(examples).toHaveLength(expected.length);
  });

  describe.each(modes)("with a client in mode %s", (mode) => {
    test.each(expected.map((lines, index) => [index, lines] as const))(
      "example %i produces the documented output",
      async (index, expectedLines) => {
        const lines: string[] = [];
        const server = serverOf(lines);
        // The first example logs in to a database with an alias; the fake has one database only.
        const send: sallyport.Fetch = (input, init) => server.fetch(String(input).replace("/archive/", "/"), init);
        const client = new sallyport.SallyportClient({
          baseUrl: "https://db.example.com",
          appKey: "my-app-key",
          fetch: send,
        });
        server.appKey = "my-app-key";
        await client.logIn(logInOptions(mode));
        const log = { log: (...words: unknown[]) => lines.push(words.map((word) => word ?? "").join(" ")) };
        const code = await runnable(examples[index] ?? "");
        const parameters = {
          files,
          identity,
          sallyport: { ...sallyport, SallyportClient: clientWith(send) },
          console: log,
          fetch: send,
        };
        const shared = /const client\b/.test(code) ? {} : { client };
        const names = { ...parameters, ...shared };
        const run = new Function(...Object.keys(names), `return (async () => {${code}})();`) as (
          ...values: unknown[]
        ) => Promise<void>;
        await run(...Object.values(names));
        expect(lines).toEqual(expectedLines);
        // Examples generate keys, which can take long on a busy machine.
      },
      60_000,
    );
  });

  /** The client class, which sends to the fake by default. */
  function clientWith(send: sallyport.Fetch): typeof sallyport.SallyportClient {
    return class extends sallyport.SallyportClient {
      constructor(options: sallyport.ClientOptions) {
        super({ fetch: send, ...options });
      }
    };
  }
});
