import { randomBytes } from "node:crypto";
import { rsaPaddings } from "@sallyport/core";
import { encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  blocksOf,
  credentialsOf,
  goodFields,
  hybridBody,
  openAnswer,
  openHybridAnswer,
  secureBody,
} from "./credentials.ts";
import { post, type Reply, send } from "./send.ts";
import { client, serverRsaKey, storedServerKeys, stranger } from "./stored-keys.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
/** A log-in of several blocks. */
const long = { ...goodFields, note: "n".repeat(400) };
const text = JSON.stringify(goodFields);
const refusal = '{"status":{"internalStatus":"310","statusMessage":"Credentials data are invalid"}}';
/** Only the name of the request and the time may differ. */
const withoutId = ({ status, headers: { "x-request-id": _id, date: _date, ...headers }, text: body }: Reply) => ({
  status,
  headers,
  body,
});

/** Refusals are slow; a few may run together. */
async function forEachConcurrently<T>(
  table: Readonly<Record<string, T>>,
  run: (title: string, value: T) => Promise<void>,
): Promise<void> {
  const rows = Object.entries(table);
  while (rows.length > 0) await Promise.all(rows.splice(0, 8).map(([title, value]) => run(title, value)));
}

describe("credentials", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo(storedServerKeys);
  }, 60_000);
  afterAll(() => postgres.close());

  const secure = (body: unknown, at = server.url) => post(`${at}/v2/login/secure`, body);
  const hybrid = (body: unknown) => post(`${server.url}/v2/login`, body);

  test.each(rsaPaddings)("in %s are answered in the same padding", async (padding) => {
    for (const contents of [goodFields, long]) {
      const answer = await secure(secureBody(contents, padding));
      expect(answer.headers["encrypted"]).toBe("v=1");
      expect(openAnswer(answer.text, padding)).toMatchObject({
        status: { internalStatus: "0", statusMessage: "ok" },
        data: {
          sessionId: expect.any(String),
          user: { Name: "demo" },
          symmetricKey: expect.any(String),
          databaseName: expect.any(String),
        },
      });
    }
  });

  test("may split a character between blocks", async () => {
    const user = "ä".repeat(200);
    const answer = await secure(secureBody({ ...goodFields, user }));
    expect(answer.code).toBe("302");
    const cut = await secure(secureBody({ ...goodFields, note: `x${"€".repeat(200)}` }));
    expect(openAnswer(cut.text).data.user.Name).toBe("demo");
  });

  describe("that are invalid", () => {
    const blocks = blocksOf(long);
    const block = (index: number, from = blocks) => from.subarray(256 * index, 256 * (index + 1));
    const flipped = (at: number) => Buffer.from(blocks.map((byte, index) => (index === at ? byte ^ 1 : byte)));
    const mixed = Buffer.concat([
      encryptBlocks(serverRsaKey, "OAEP-SHA-256", Buffer.from(text.slice(0, 40))),
      encryptBlocks(serverRsaKey, "OAEP-SHA-1", Buffer.from(text.slice(40))),
    ]);
    const mixedWithOld = Buffer.concat([
      encryptBlocks(serverRsaKey, "OAEP-SHA-1", Buffer.from(text.slice(0, 40))),
      encryptBlocks(serverRsaKey, "PKCS1-v1_5", Buffer.from(text.slice(40))),
    ]);
    const nested = (depth: number) => `{"user":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const wrong: Readonly<Record<string, unknown>> = {
      "a number": 1,
      "a list": [credentialsOf()],
      "one byte": base64(randomBytes(1)),
      "255 bytes": base64(randomBytes(255)),
      "257 bytes": base64(randomBytes(257)),
      "random bytes": base64(randomBytes(256)),
      "random blocks": base64(randomBytes(1_024)),
      "more than the modulus": base64(Buffer.alloc(256, 0xff)),
      zeros: base64(Buffer.alloc(256)),
      one: base64(Buffer.concat([Buffer.alloc(255), Buffer.of(1)])),
      "truncated at a block boundary": base64(block(0)),
      "truncated inside a block": base64(blocks.subarray(0, -1)),
      "without the first block": base64(blocks.subarray(256)),
      "in another order": base64(Buffer.concat([block(1), block(0), block(2)])),
      "with a duplicate block": base64(Buffer.concat([block(0), block(0), block(1), block(2)])),
      "with a bit flipped": base64(flipped(10)),
      "with the last bit flipped": base64(flipped(blocks.length - 1)),
      "in two paddings": base64(mixed),
      "in two legacy paddings": base64(mixedWithOld),
      "of 17 blocks": base64(
        Buffer.concat([
          encryptBlocks(
            serverRsaKey,
            "OAEP-SHA-256",
            Buffer.from(JSON.stringify({ ...goodFields, note: "n".repeat(16 * 190) })),
          ),
        ]),
      ),
      "for another key": base64(encryptBlocks(stranger.publicKey, "OAEP-SHA-256", Buffer.from(text))),
      "for the client": base64(encryptBlocks(client.publicKey, "OAEP-SHA-256", Buffer.from(text))),
      "in clear text": base64(Buffer.from(text.padEnd(256))),
      "as the JSON itself": text,
      "in hexadecimal": blocks.toString("hex"),
      "in base64url": blocks.toString("base64url"),
      "in lines": base64(blocks).replaceAll(/.{64}/g, "$&\n"),
      "without base64 padding": base64(blocks.subarray(0, 256)).replace(/=+$/, ""),
      "with unused bits set": base64(blocks.subarray(0, 256)).replace(/.==$/, "B=="),
      "with a blank": ` ${base64(blocks)}`,
      "with a line break at the end": `${base64(blocks)}\n`,
      "of nothing": credentialsOf(""),
      "of a list": credentialsOf([goodFields]),
      "of a text": credentialsOf('"text"'),
      "of null": credentialsOf("null"),
      "of invalid JSON": credentialsOf(`${text}x`),
      "of two objects": credentialsOf(`${text}${text}`),
      "of JSON with a trailing comma": credentialsOf(text.replace("}", ",}")),
      "with a duplicate name": credentialsOf(text.replace("{", '{"user":"admin",')),
      "with a duplicate escaped name": credentialsOf(text.replace("{", String.raw`{"us\u0065r":"admin",`)),
      "with a nested duplicate name": credentialsOf(text.replace("}", ',"device":{"deviceId":"a","deviceId":"b"}}')),
      "not in UTF-8": credentialsOf(Buffer.from(text.replace("demo", "d\xe9mo"), "latin1")),
      "in UTF-16": credentialsOf(Buffer.from(text, "utf16le")),
      "with an overlong character": credentialsOf(
        Buffer.concat([Buffer.from('{"user":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
      ),
      "with two byte order marks": credentialsOf(`\ufeff\ufeff${text}`),
      "with the name __proto__": credentialsOf(text.replace("{", '{"__proto__":{"user":"admin"},')),
      "with the name constructor inside": credentialsOf(text.replace("}", ',"device":{"constructor":"x"}}')),
      "nested 33 levels": credentialsOf(nested(33)),
      "nested 1,000 levels": credentialsOf(nested(1_000)),
    };

    test("are refused with the same answer, not before a quarter of a second", async () => {
      const good = secureBody();
      const first = withoutId(await secure({ ...good, credentials: base64(randomBytes(256)) }));
      expect(first).toMatchObject({ status: 400, body: refusal });
      await forEachConcurrently(wrong, async (title, credentials) => {
        const begun = performance.now();
        const answer = withoutId(await secure({ publicKey: client.text, credentials }));
        expect({ title, inTime: performance.now() - begun >= 245, ...answer }).toEqual({
          title,
          inTime: true,
          ...first,
        });
      });
    }, 60_000);

    test("are not recorded as used", async () => {
      const blockCount = "select count(*)::int as n from sallyport_demo.cipher_blocks";
      const before = (await postgres.sql.query(blockCount)).rows;
      await secure({ publicKey: client.text, credentials: credentialsOf(`${text}x`) });
      expect((await postgres.sql.query(blockCount)).rows).toEqual(before);
    });

    test("are refused with the same answer in the encrypted form", async () => {
      const good = hybridBody();
      const bytes = Buffer.from(good.data, "base64");
      const changed = (at: number) => base64(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));
      const aesKey = randomBytes(32);
      const bodies: Readonly<Record<string, object>> = {
        "a random AES key": { ...good, aesKey: base64(randomBytes(256)) },
        "another AES key": { ...good, aesKey: hybridBody().aesKey },
        "an AES key of 16 bytes": {
          ...good,
          aesKey: base64(encryptBlocks(serverRsaKey, "OAEP-SHA-256", randomBytes(16))),
        },
        "an AES key of two blocks": {
          ...good,
          aesKey: base64(Buffer.concat([1, 2].map(() => encryptBlocks(serverRsaKey, "OAEP-SHA-256", randomBytes(16))))),
        },
        "an AES key in OAEP with SHA-1": hybridBody({ padding: "OAEP-SHA-1" }),
        "an AES key in PKCS#1 v1.5": hybridBody({ padding: "PKCS1-v1_5" }),
        "the AES key in clear text": { ...hybridBody({ aesKey }), aesKey: base64(aesKey) },
        "an AES key that is a number": { ...good, aesKey: 7 },
        "data of one block": { ...good, data: base64(bytes.subarray(0, 16)) },
        "data of a fraction of a block": { ...good, data: base64(bytes.subarray(0, -1)) },
        "data with wrong padding": { ...good, data: changed(bytes.length - 17) },
        "data with another last byte": { ...good, data: changed(bytes.length - 1) },
        "data that is not base64": { ...good, data: "*" },
        "data that is a list": { ...good, data: [good.data] },
        "data with a duplicate name": hybridBody({ contents: text.replace("{", '{"user":"admin",') }),
        "data of a list": hybridBody({ contents: [goodFields] }),
        "data of nothing": hybridBody({ contents: "" }),
      };
      const first = withoutId(await hybrid({ ...good, data: base64(randomBytes(64)) }));
      expect(first).toMatchObject({ status: 400, body: refusal });
      await forEachConcurrently(bodies, async (title, body) =>
        expect({ title, ...withoutId(await hybrid(body)) }).toEqual({ title, ...first }),
      );
    }, 60_000);
  });

  test("may begin with a byte order mark", async () => {
    const answer = await secure(secureBody(`\ufeff${text}`));
    expect(openAnswer(answer.text).data.user.Name).toBe("demo");
  });

  describe("are checked in order", () => {
    const good = { user: "demo", pass: "demo", appNames: ["demo-app"] };
    const fields: readonly [string, object, string][] = [
      ["nothing", {}, "301"],
      ["no password", { user: "demo", appNames: 1 }, "301"],
      ["a blank user", { ...good, user: " ", appNames: undefined }, "301"],
      ["no app names", { ...good, appNames: undefined }, "209"],
      ["app names of another type", { ...good, appNames: 1 }, "208"],
      ["a duplicate unknown app name", { ...good, appNames: ["x", "x"] }, "208"],
      ["a duplicate app name", { ...good, appNames: ["demo-app", "demo-app"] }, "210"],
      ["a wrong password", { ...good, pass: "wrong" }, "302"],
    ];

    test.each<[string, object, string]>([
      ["nothing", {}, "205"],
      ["null", { publicKey: null, credentials: null }, "205"],
      ["a key of another type", { publicKey: 1 }, "206"],
      ["a bad key and no credentials", { publicKey: "x" }, "206"],
      ["a bad key and blank credentials", { publicKey: "x", credentials: " " }, "206"],
      ["a bad key and bad credentials", { publicKey: "x", credentials: 1 }, "309"],
      ["a bad key and good credentials", { ...secureBody(), publicKey: "x" }, "309"],
      ["a good key and bad credentials", { ...secureBody(), credentials: "x" }, "310"],
      ["a good key and credentials of another type", { ...secureBody(), credentials: {} }, "310"],
      ...fields.map(([title, contents, code]): [string, object, string] => [title, secureBody(contents), code]),
    ])("in a secure log-in with %s", async (_title, body, code) => {
      const answer = await secure(body);
      expect({ code: answer.code, encrypted: answer.headers["encrypted"] }).toEqual({ code, encrypted: undefined });
    });

    test.each<[string, object, string]>([
      ["an AES key alone", { aesKey: "x" }, "205"],
      ["data alone", { data: "x" }, "205"],
      ["a bad key alone", { publicKey: "x" }, "206"],
      ["a bad key and no data", { publicKey: "x", aesKey: "x" }, "206"],
      ["a bad key and no AES key", { publicKey: "x", data: "x" }, "206"],
      ["a bad key", { publicKey: "x", data: "x", aesKey: "x" }, "309"],
      ["bad data", { ...hybridBody(), data: "x" }, "310"],
      ...fields.map(([title, contents, code]): [string, object, string] => [title, hybridBody({ contents }), code]),
    ])("in an encrypted log-in with %s", async (_title, body, code) => {
      const answer = await hybrid(body);
      expect({ code: answer.code, encrypted: answer.headers["encrypted"] }).toEqual({ code, encrypted: undefined });
    });

    test.each<[string, Parameters<typeof send>[1], string]>([
      ["without an app key", { headers: { appkey: null } }, "100"],
      ["with another app key", { headers: { appkey: "x" } }, "101"],
      ["without a content type", { body: "{}" }, "207"],
      ["as text", { headers: { "content-type": "application/text" }, body: "{}" }, "207"],
      ["without a body", { headers: { "content-type": "application/json" } }, "300"],
      ["with invalid JSON", { headers: { "content-type": "application/json" }, body: "{" }, "311"],
      ["with a list", { headers: { "content-type": "application/json" }, body: "[]" }, "307"],
      [
        "of more than 64 KiB",
        { headers: { "content-type": "application/json" }, body: JSON.stringify({ credentials: "A".repeat(65_536) }) },
        "801",
      ],
    ])("after the request itself: %s", async (_title, sent, code) => {
      for (const path of ["/v2/login/secure", "/v2/login"])
        expect((await send(server.url + path, { method: "POST", ...sent })).code).toBe(code);
    });
  });

  test("in clear text may have unknown members beside them", async () => {
    expect((await hybrid({ ...goodFields, data: "x", publicKey: "x" })).code).toBe("0");
  });

  test("of the encrypted form are answered with a session id and a token", async () => {
    const answer = await hybrid(hybridBody({ keys: stranger }));
    expect(answer).toMatchObject({
      status: 200,
      headers: { encrypted: "v=1", "content-type": "text/plain; charset=utf-8" },
    });
    const { status, data } = openHybridAnswer(answer.text, stranger);
    expect({ status, members: Object.keys(data).toSorted() }).toEqual({
      status: { internalStatus: "0", statusMessage: "ok" },
      members: ["databaseName", "sessionId", "token", "user"],
    });
  });

  test("in legacy padding are refused like all invalid ones when configured", async () => {
    const strict = await postgres.demo({ ...storedServerKeys, LEGACY_PKCS1: "false" });
    expect((await secure(secureBody(goodFields, "PKCS1-v1_5"), strict.url)).text).toBe(refusal);
    expect((await secure(secureBody(), strict.url)).headers["encrypted"]).toBe("v=1");
    const paddings = async (url: string) => JSON.parse((await send(`${url}/v2/login/secure/key`)).text).data.paddings;
    expect([await paddings(strict.url), await paddings(server.url)]).toEqual([
      ["OAEP-SHA-256", "OAEP-SHA-1"],
      [...rsaPaddings],
    ]);
  });
});
