import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { der, integer, pkcs1Inside, publicKeyDer } from "@sallyport/test-kit/crypto/der";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { credentialsOf, goodFields, hybridBody, openAnswer, openHybridAnswer, secureBody } from "./credentials.ts";
import { post, type Reply, send, type SentHeaders } from "./send.ts";
import { client, type ClientKeys, serverRsaKey, storedServerKeys, stranger } from "./stored-keys.ts";

describe("headers and keys", () => {
  const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");
  const spki = client.publicKey.export({ type: "spki", format: "der" });
  const pem = client.publicKey.export({ type: "spki", format: "pem" }) as string;
  const pkcs1Pem = client.publicKey.export({ type: "pkcs1", format: "pem" }) as string;
  const crLf = (text: string) => text.replaceAll("\n", "\r\n");
  const indented = (text: string) => text.replaceAll(/^/gm, "        ");
  const publicPem = (name: string) => createPublicKey(pemFile(name)).export({ type: "spki", format: "pem" });
  const modulus = BigInt(
    `0x${Buffer.from(client.publicKey.export({ format: "jwk" }).n ?? "", "base64url").toString("hex")}`,
  );

  describe("public key of a client", () => {
    let postgres: PostgresFixture;
    let server: RunningServer;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      server = await postgres.demo(storedServerKeys);
    }, 60_000);
    afterAll(() => postgres.close());

    const logIn = (body: object) => post(`${server.url}/v2/login/secure`, body);

    test.each<[string, string, ClientKeys]>([
      ["PEM", pem, client],
      ["PEM with CR LF", crLf(pem), client],
      ["indented PEM", indented(pem), client],
      ["indented PEM with CR LF", crLf(indented(pem)), client],
      ["PEM of PKCS#1", pkcs1Pem, client],
      ["indented PEM of PKCS#1 with CR LF", crLf(indented(pkcs1Pem)), client],
      ["base64 of PEM", base64(pem), client],
      ["base64 of indented PEM with CR LF", base64(crLf(indented(pem))), client],
      ["base64 of PEM of PKCS#1", base64(pkcs1Pem), client],
      ["base64 of DER", client.text, client],
      ["base64 of the DER of PKCS#1", base64(pkcs1Inside(spki)), client],
      ["base64 of DER in lines", client.text.replaceAll(/.{64}/g, "$&\r\n"), client],
      ["an RSA key of 3072 bits", stranger.text, stranger],
    ])("is accepted as %s", async (_title, publicKey, keys) => {
      const answer = await logIn({ publicKey, credentials: credentialsOf() });
      expect(answer).toMatchObject({
        status: 200,
        headers: { encrypted: "v=1", "content-type": "text/plain; charset=utf-8" },
      });
      expect(answer.text).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(openAnswer(answer.text, "OAEP-SHA-256", keys).data.user.Name).toBe("demo");
    });

    test("may be spelled in lower case, unless the other spelling is present", async () => {
      const { publicKey, credentials } = secureBody();
      expect((await logIn({ publickey: publicKey, credentials })).headers["encrypted"]).toBe("v=1");
      expect((await logIn({ publickey: publicKey, publicKey: "x", credentials })).code).toBe("309");
    });

    const bomb = (depth: number, tag = 0x30) => {
      let inner: Buffer = Buffer.alloc(0);
      for (let level = 0; level < depth; level += 1) inner = der(tag, inner);
      return base64(inner);
    };
    const bad: Readonly<Record<string, unknown>> = {
      "a number": 1,
      "a list": [client.text],
      "an object": { key: client.text },
      true: true,
      text: "this is not a key",
      "random bytes": base64(Buffer.alloc(294, 7)),
      "the exponent 1": base64(publicKeyDer({ modulus, exponent: 1n })),
      "the exponent 2": base64(publicKeyDer({ modulus, exponent: 2n })),
      "the exponent 3": base64(publicKeyDer({ modulus, exponent: 3n })),
      "the exponent 65539": base64(publicKeyDer({ modulus, exponent: 65_539n })),
      "an exponent as large as the modulus": base64(publicKeyDer({ modulus, exponent: modulus - 2n })),
      "the exponent 0": base64(publicKeyDer({ modulus, exponent: 0n })),
      "512 bits": base64(publicKeyDer({ bits: 512 })),
      "1024 bits": publicPem("rsa-1024"),
      "2047 bits": base64(publicKeyDer({ bits: 2_047 })),
      "4097 bits": base64(publicKeyDer({ bits: 4_097 })),
      "8192 bits": base64(publicKeyDer({ bits: 8_192 })),
      "16384 bits": base64(publicKeyDer({ bits: 16_384 })),
      "an even modulus": base64(publicKeyDer({ modulus: modulus - 1n })),
      "the modulus 0": base64(publicKeyDer({ modulus: 0n })),
      "an elliptic curve": publicPem("ec-p256"),
      "another curve": publicPem("ed25519"),
      "RSA for PSS only": publicPem("rsa-pss-2048"),
      "the private key": client.privateKey.export({ type: "pkcs8", format: "pem" }),
      "the private key of PKCS#1": client.privateKey.export({ type: "pkcs1", format: "pem" }),
      "the private key in DER": base64(client.privateKey.export({ type: "pkcs8", format: "der" })),
      "a certificate": pemFile("rsa-2048.certificate"),
      "the server's own key": serverRsaKey.export({ type: "spki", format: "pem" }),
      "the server's own key of PKCS#1": base64(serverRsaKey.export({ type: "pkcs1", format: "der" })),
      "a key with trailing bytes": base64(Buffer.concat([spki, Buffer.of(0)])),
      "a truncated key": base64(spki.subarray(0, -1)),
      "a negative modulus": base64(der(0x30, Buffer.concat([der(0x02, Buffer.alloc(256, 0xff)), integer(65_537n)]))),
      "two keys": `${pem}${pem}`,
      "200 levels of ASN.1": bomb(200),
      "1,200 levels of ASN.1": bomb(1_200),
      "ASN.1 that promises 4 GiB": base64(Buffer.from("3084ffffffff3084ffffffff", "hex")),
      "ASN.1 without a length": base64(Buffer.concat([Buffer.from("3080", "hex"), spki])),
      "a JWK": JSON.stringify(client.publicKey.export({ format: "jwk" })),
      "a huge text": "A".repeat(50_000),
      "a huge PEM": `-----BEGIN PUBLIC KEY-----\n${"A".repeat(40_000)}\n-----END PUBLIC KEY-----`,
      "blanks around dashes": `-----${" ".repeat(40_000)}-----`,
    };

    test.each(Object.entries(bad))("is refused as %s", async (_title, publicKey) => {
      const { credentials } = secureBody();
      const refused = await logIn({ publicKey, credentials });
      expect(refused).toMatchObject({
        status: 400,
        text: '{"status":{"internalStatus":"309","statusMessage":"Public key is invalid"}}',
      });
    });

    test.each([[undefined], [null], [""], [" \r\n"]])("treats %j as missing", async (publicKey) => {
      expect((await logIn({ publicKey, credentials: "x" })).code).toBe("205");
    });

    test("is refused quickly when too large, before decryption", async () => {
      const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 512 });
      const small = publicKey.export({ type: "spki", format: "pem" });
      const blockCount = "select count(*)::int as n from sallyport_demo.cipher_blocks";
      const before = (await postgres.sql.query(blockCount)).rows;
      for (const text of [small, bad["16384 bits"]])
        expect((await logIn({ publicKey: text, credentials: credentialsOf() })).code).toBe("309");
      expect((await postgres.sql.query(blockCount)).rows).toEqual(before);
    });
  });

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
      good["secure-token"] = openAnswer(
        (await post(`${server.url}/v2/login/secure`, secureBody())).text,
      ).data.sessionId;
      both = openHybridAnswer((await post(`${server.url}/v2/login`, hybridBody())).text).data;
    }, 60_000);
    afterAll(() => postgres.close());

    /** The code of the answer; `encrypted` if it is a success of the secure session. */
    const check = async (sent: SentHeaders, at = server.url): Promise<string> =>
      outcome(await send(`${at}/_CheckSession`, { headers: sent }));
    const outcome = ({ headers: received, code }: Reply) =>
      String(received["encrypted"]).startsWith("v=1;iv=") ? "encrypted" : String(code);
    const success = (header: Header) => (header === "secure-token" ? "encrypted" : "0");

    describe.each(headers)("%s", (header) => {
      test.each<[string, () => string[], string]>([
        ["good", () => [good[header]], success(header)],
        ["valid twice", () => [good[header], good[header]], success(header)],
        ["valid and another", () => [good[header], unknown], invalid[header]],
        ["another and valid", () => [unknown, good[header]], invalid[header]],
        ["valid and blank", () => [good[header], ""], invalid[header]],
        ["blank and valid", () => ["", good[header]], invalid[header]],
        ["valid between blanks", () => [`  ${good[header]} `], success(header)],
        ["two in one", () => [`${good[header]}, ${good[header]}`], invalid[header]],
        ["shortened", () => [good[header].slice(0, -1)], invalid[header]],
        ["lengthened", () => [`${good[header]}A`], invalid[header]],
        ["in lower case", () => [good[header].toLowerCase()], invalid[header]],
        ["with padding", () => [`${good[header]}=`], invalid[header]],
        ["huge", () => [good[header].repeat(10).slice(0, 6_000)], invalid[header]],
        ["blank", () => [""], "204"],
        ["blank twice", () => ["", ""], "204"],
        ["unknown", () => [unknown], invalid[header]],
        ["__proto__", () => ["__proto__"], invalid[header]],
      ])("%s", async (_title, values, expected) => {
        expect(await check({ [header]: values() })).toBe(expected);
      });

      test.each(headers.filter((each) => each !== header))("refuses a valid %s", async (from) => {
        expect(await check({ [header]: good[from] })).toBe(invalid[header]);
      });

      test.each(headers.filter((each) => each !== header))("is refused beside a valid %s", async (from) => {
        for (const own of [good[header], unknown])
          expect(await check({ [header]: own, [from]: good[from] })).toBe("203");
      });

      test("is valid beside blank ones", async () => {
        const blank = Object.fromEntries(headers.map((each) => [each, " "]));
        expect(await check({ ...blank, [header]: good[header] })).toBe(success(header));
        expect(await check({ ...blank, [header]: unknown })).toBe(invalid[header]);
        expect(await check(blank)).toBe("204");
      });

      test("is valid in its own database and with its own app key only", async () => {
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

      test("is ignored where none is required", async () => {
        const answer = await post(`${server.url}/v1/login`, goodFields, { [header]: [unknown, "x"] });
        expect(answer.code).toBe("0");
      });
    });

    test("of all three modes together are refused", async () => {
      expect(await check(good)).toBe("203");
    });

    test("are requested by codes that depend on the content type", async () => {
      expect(await check({})).toBe("200");
      for (const type of ["application/text", "Application/Text ; charset=UTF-8", "application/text;"])
        expect(await check({ "content-type": type })).toBe("202");
      for (const type of ["application/json", "application/text-plain", "text/plain"])
        expect(await check({ "content-type": type })).toBe("200");
      expect(await check({ "content-type": "application/text", "secure-token": "" })).toBe("204");
      expect(await check({ "content-type": "application/text", "secure-token": unknown })).toBe("203");
      expect(await check({ "content-type": "application/text", sessionid: unknown })).toBe("201");
    });

    test("are requested by one configured code", async () => {
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
});
