import { createCipheriv } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  callSecurely,
  counterBlock,
  encryptMessage,
  logInSecurely,
  type SecureAnswer,
  type SecureSession,
  sendMessage,
} from "./secure-client.ts";
import { type Reply, send, type SentHeaders } from "./send.ts";
import { storedServerKeys } from "./stored-keys.ts";

const mebibyte = 1_048_576;
const last = 2n ** 64n - 1n;
const header = (iv: Buffer) => `v=1;iv=${iv.toString("base64")}`;

describe("traffic of a secure session", () => {
  let postgres: PostgresFixture;
  let servers: RunningServer[];
  let server: RunningServer;
  let session: SecureSession;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    servers = [await postgres.demo(storedServerKeys), await postgres.demo(storedServerKeys)];
    server = servers[0] as RunningServer;
  }, 60_000);
  beforeEach(async () => {
    session = await logInSecurely(server);
  });
  afterAll(() => postgres.close());

  const call = (path: string, request: Parameters<typeof callSecurely>[3] = {}) =>
    callSecurely(server, session, path, request);
  const message = (number: bigint, more: Parameters<typeof sendMessage>[3] = {}) =>
    sendMessage(server, session, number, more);
  const codes = async (numbers: readonly bigint[]) => {
    const received = [];
    for (const number of numbers) received.push((await message(number)).code);
    return received;
  };
  const isEncrypted = ({ iv }: SecureAnswer) => iv !== null;
  /** Sends a body unchanged and decrypts the answer. */
  const raw = (body: string | undefined, headers: Record<string, string>) =>
    call("/_CheckSession", { headers, ...(body === undefined ? {} : { body }) });
  const text = { "content-type": "application/text" };

  describe("refuses with 312", () => {
    const good = () => counterBlock(session, 0n);
    const changed = (change: (iv: Buffer) => void) => () => {
      const iv = good();
      change(iv);
      return header(iv);
    };
    const headers: Readonly<Record<string, () => string | undefined>> = {
      "no header": () => undefined,
      "an empty header": () => "",
      "a header without a counter block": () => "v=1",
      "another version": () => header(good()).replace("v=1", "v=2"),
      "a duplicate version": () => `v=1;${header(good())}`,
      "two headers in one": () => `${header(good())}, ${header(good())}`,
      "two counter blocks": () => `${header(good())};iv=${good().toString("base64")}`,
      "a counter block alone": () => `iv=${good().toString("base64")}`,
      "a counter block in quotes": () => `v=1;iv="${good().toString("base64")}"`,
      "a counter block of 15 bytes": () => header(good().subarray(0, 15)),
      "a counter block of 17 bytes": () => header(Buffer.concat([good(), Buffer.of(0)])),
      "a counter block in hexadecimal": () => `v=1;iv=${good().toString("hex")}`,
      "a counter block with unused bits set": () => header(good()).replace(/.==$/, "B=="),
      "the direction of answers": changed((iv) => iv.writeUInt8(2, 0)),
      "the direction 0": changed((iv) => iv.writeUInt8(0, 0)),
      "the direction 255": changed((iv) => iv.writeUInt8(255, 0)),
      "another prefix": changed((iv) => iv.writeUInt8(iv.readUInt8(2) ^ 1, 2)),
      "the block number 1": changed((iv) => iv.writeUInt32BE(1, 12)),
      "the last block number": changed((iv) => iv.writeUInt32BE(2 ** 32 - 1, 12)),
    };

    test.each(Object.entries(headers))("%s", async (_title, make) => {
      const value = make();
      const refused = await raw(encryptMessage(session, good(), "{}"), {
        ...text,
        ...(value === undefined ? {} : { encrypted: value }),
      });
      expect(refused).toMatchObject({ status: 400, code: "312", iv: expect.any(Buffer) });
      // An invalid message does not use up its number.
      expect((await message(0n)).code).toBe("0");
    });

    test.each<[string, (cipherText: string) => string]>([
      ["not base64", () => "***"],
      ["base64 in lines", (cipherText) => `${cipherText.slice(0, 4)}\n${cipherText.slice(4)}`],
      ["base64 with a line break at the end", (cipherText) => `${cipherText}\r\n`],
      ["base64 without its padding", (cipherText) => cipherText.replaceAll("=", "")],
      ["truncated base64", (cipherText) => cipherText.slice(1)],
      ["base64 with unused bits set", (cipherText) => cipherText.replace(/.=$/, "/=")],
      ["base64 twice", (cipherText) => Buffer.from(cipherText).toString("base64")],
      ["JSON in clear text", () => "{}"],
      ["a blank", () => " "],
    ])("a body that is %s", async (_title, spell) => {
      const iv = good();
      const refused = await raw(spell(encryptMessage(session, iv, '{"a":12}')), { ...text, encrypted: header(iv) });
      expect(refused).toMatchObject({ status: 400, code: "312", iv: expect.any(Buffer) });
      // Otherwise several texts could be tried under one number.
      expect(await codes([0n, 1n])).toEqual(["312", "0"]);
    });

    test.each<[string, string | Buffer, string]>([
      ["invalid JSON", "no JSON", "312"],
      ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "312"],
      ["encrypted with another key", Buffer.alloc(40, 0xa5), "312"],
      ["a list", "[]", "307"],
      ["with the name __proto__", '{"__proto__":{}}', "307"],
      ["nested 1,000 levels", `{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}`, "307"],
    ])("or 307 a message that is %s", async (_title, contents, code) => {
      const iv = good();
      const cipher = createCipheriv("aes-256-ctr", session.key, iv);
      const body = Buffer.concat([cipher.update(contents), cipher.final()] as Uint8Array[]).toString("base64");
      expect(await raw(body, { ...text, encrypted: header(iv) })).toMatchObject({
        status: 400,
        code,
        iv: expect.any(Buffer),
      });
    });

    test("a returned answer", async () => {
      const sent = { headers: { "secure-token": session.token } };
      for (let round = 0; round < 3; round += 1) {
        const { text: answer, headers: received } = await send(`${server.url}/_CheckSession`, sent);
        expect((await raw(answer, { ...text, encrypted: String(received["encrypted"]) })).code).toBe("312");
      }
      expect(await codes([0n, 1n, 2n])).toEqual(["0", "0", "0"]);
    });

    test("a message of another session of the same user", async () => {
      const other = await logInSecurely(server);
      const iv = counterBlock(other, 0n);
      expect((await raw(encryptMessage(other, iv, "{}"), { ...text, encrypted: header(iv) })).code).toBe("312");
      expect((await sendMessage(server, other, 0n)).code).toBe("0");
    });
  });

  describe("message numbers", () => {
    test("are accepted once, in a window of 1,024, with gaps", async () => {
      expect(await codes([0n, 1n, 0n, 1_000_000n, 1n])).toEqual(["0", "0", "312", "0", "312"]);
      const highest = 1_000_000n;
      expect(await codes([highest - 1_024n, highest - 1_023n, highest - 1_023n, highest - 1n, highest])).toEqual([
        "312",
        "0",
        "312",
        "0",
        "312",
      ]);
      expect(await codes([last - 1_024n, last, last, last - 1_023n, last - 1_024n])).toEqual([
        "0",
        "0",
        "312",
        "0",
        "312",
      ]);
    });

    test("are accepted exactly once in concurrent requests, on two servers", async () => {
      const at = (index: number, number: bigint) => sendMessage(servers[index % 2] as RunningServer, session, number);
      const different = await Promise.all(Array.from({ length: 40 }, (_, index) => at(index, BigInt(index))));
      expect(different.map(({ code }) => code)).toEqual(Array<string>(40).fill("0"));
      const same = await Promise.all(Array.from({ length: 20 }, (_, index) => at(index, 77n)));
      expect(same.map(({ code }) => code).toSorted()).toEqual(["0", ...Array<string>(19).fill("312")]);
      const blocks = [...different, ...same].map(({ iv }) => iv?.toString("hex"));
      expect(new Set(blocks).size).toBe(60);
    });

    test("are not used without encryption", async () => {
      const answer = await raw(undefined, { encrypted: header(counterBlock(session, 0n)) });
      expect(answer.code).toBe("0");
      expect((await message(0n)).code).toBe("0");
    });
  });

  describe("content type", () => {
    const body = () => encryptMessage(session, counterBlock(session, 0n), "{}");

    test.each<[string, Record<string, string>]>([
      ["no type", {}],
      ["JSON", { "content-type": "application/json" }],
      ["plain text", { "content-type": "text/plain" }],
      ["bytes", { "content-type": "application/octet-stream" }],
      ["text in another encoding", { "content-type": "application/text; charset=latin1" }],
      ["compressed text", { "content-type": "application/text", "content-encoding": "gzip" }],
    ])("refuses with 207: %s", async (_title, headers) => {
      const sent = { ...headers, encrypted: header(counterBlock(session, 0n)) };
      expect(await raw(body(), sent)).toMatchObject({ status: 406, code: "207", iv: expect.any(Buffer) });
      expect((await message(0n)).code).toBe("0");
    });

    test.each([
      "application/text",
      "APPLICATION/TEXT",
      "application/text; charset=utf-8",
      'application/text;charset="UTF-8"',
    ])("accepts %s", async (type) => {
      expect((await raw(body(), { "content-type": type, encrypted: header(counterBlock(session, 0n)) })).code).toBe(
        "0",
      );
    });

    test("is not required without a body", async () => {
      const own: SentHeaders = { "secure-token": session.token, "content-type": "application/json" };
      const empty: Reply[] = [
        await send(`${server.url}/_CheckSession`, { headers: own }),
        await send(`${server.url}/_CheckSession`, { headers: own, body: "" }),
        await send(`${server.url}/_CheckSession`, { headers: own, body: "", chunked: true }),
      ];
      expect(empty.map(({ status }) => status)).toEqual([200, 200, 200]);
      const refused = await send(`${server.url}/_CheckSession`, { headers: own, body: "{}", chunked: true });
      expect(refused).toMatchObject({ status: 406, headers: { encrypted: expect.stringContaining("v=1;iv=") } });
    });
  });

  describe("message size", () => {
    test.each([
      [mebibyte, 200],
      [mebibyte + 1, 413],
      [mebibyte + 2, 413],
      [mebibyte + 3, 413],
      [3 * mebibyte, 413],
    ])("of %i bytes is answered %i", async (size, status) => {
      const contents = `{"x":"${"x".repeat(size - 8)}"}`;
      for (const [number, chunked] of [
        [0n, false],
        [1n, true],
      ] as const) {
        const iv = counterBlock(session, number);
        const headers = { ...text, encrypted: header(iv), "secure-token": session.token };
        const answer = await send(`${server.url}/_CheckSession`, {
          headers,
          body: encryptMessage(session, iv, contents),
          chunked,
        });
        expect({ chunked, status: answer.status, encrypted: answer.headers["encrypted"] }).toEqual({
          chunked,
          status,
          encrypted: expect.stringContaining("v=1;iv="),
        });
      }
    });
  });

  describe("answers", () => {
    test("are base64 with a known type, and the HTTP status in clear text", async () => {
      for (const [path, status] of [
        ["/_CheckSession", 200],
        ["/v1/object/nothing", 404],
      ] as const) {
        const answer = await send(server.url + path, { headers: { "secure-token": session.token } });
        expect(answer).toMatchObject({
          status,
          headers: { "content-type": "application/text; charset=utf-8", "cache-control": "no-store" },
        });
        expect(answer.text).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      }
    });

    test.each<[string, string, string, string]>([
      ["an unknown object", "GET", "/v1/object/nothing", "304"],
      ["an unknown class", "GET", "/v1/objects/Nothing", "304"],
      ["a parameter out of range", "GET", "/v1/objects/Customer?perPage=0", "307"],
      ["a badly packed parameter", "GET", "/v1/objects/Customer?qb64=*", "307"],
      ["a query of invalid JSON", "GET", "/v1/objects/Customer?query=x", "308"],
      ["a query that is not an object", "GET", "/v1/objects/Customer?query=[]", "329"],
    ])("are encrypted once the session is known: %s", async (_title, method, path, code) => {
      const answer = await call(path, { method });
      expect({ code: answer.code, encrypted: isEncrypted(answer) }).toEqual({ code, encrypted: true });
    });

    test.each<[string, string, string, SentHeaders, string]>([
      ["an unknown path", "GET", "/v1/nothing", {}, "304"],
      ["another database", "GET", "/nowhere/_CheckSession", {}, "304"],
      ["a method that is not allowed", "DELETE", "/_CheckSession", {}, "305"],
      ["no app key", "GET", "/_CheckSession", { appkey: null }, "100"],
      ["another app key", "GET", "/_CheckSession", { appkey: "x" }, "101"],
      ["two credentials", "GET", "/_CheckSession", { sessionid: "x" }, "203"],
    ])("are in clear text before that: %s", async (_title, method, path, headers, code) => {
      const answer = await send(server.url + path, { method, headers: { "secure-token": session.token, ...headers } });
      expect({ code: answer.code, encrypted: answer.headers["encrypted"] }).toEqual({ code, encrypted: undefined });
    });

    test("are in clear text during maintenance", async () => {
      const settings = server.databases.get("")?.storage.repositories.settings;
      await settings?.setMaintenance(true);
      const answer = await call("/_CheckSession");
      await settings?.setMaintenance(false);
      expect({ code: answer.code, encrypted: isEncrypted(answer) }).toEqual({ code: "706", encrypted: false });
    });

    test("have a number of their own in concurrent requests", async () => {
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          callSecurely(servers[index % 2] as RunningServer, session, "/_CheckSession"),
        ),
      );
      expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["0"]));
      expect(new Set(answers.map(({ iv }) => iv?.toString("hex"))).size).toBe(300);
    });
  });

  test("ends with the log-out, which answers one of several concurrent ones", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => call("/v1/logout", { method: "POST" })));
    expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array<string>(5).fill("203")]);
    expect(answers.filter(isEncrypted).length).toBeGreaterThan(0);
    for (const each of servers)
      expect(await callSecurely(each, session, "/_CheckSession")).toMatchObject({ status: 401, code: "203", iv: null });
  });

  test("ends when the user is disabled, and then resumes at its numbers", async () => {
    const { accounts } = server.databases.get("")?.storage.repositories ?? {};
    const { account } = (await accounts?.find({ realm: "database", loginName: "demo" }, [])) ?? {};
    expect((await message(0n)).code).toBe("0");
    await accounts?.change(account?.userId as string, { disabled: true });
    expect(await message(1n)).toMatchObject({ code: "203", iv: null });
    await accounts?.change(account?.userId as string, { disabled: false });
    expect(await codes([0n, 1n])).toEqual(["312", "0"]);
  });
});
