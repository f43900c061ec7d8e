import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import { encodeBase64, lenientBase64 } from "@sallyport/contract/secure";
import fc from "fast-check";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { openHybrid, sealHybrid } from "./crypto/hybrid-message.ts";
import { md5 } from "./crypto/md5.ts";
import { decryptBlocks, encryptBlocks, readServerKey, type RsaPadding, rsaSchemes } from "./crypto/rsa.ts";

describe("hybrid message", () => {
  const { jwk, publicPem } = secureMode.serverKey;
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
  const nodePrivate = createPrivateKey({ key: jwk, format: "jwk" });
  const bytes = fc.uint8Array({ maxLength: 200 });
  const own = globalThis.crypto.subtle.importKey(
    "jwk",
    { ...jwk, key_ops: ["decrypt"] },
    { name: "RSA-OAEP", hash: "SHA-256" },
    false,
    ["decrypt"],
  );

  /** An answer from another implementation. */
  function sealByNode(plain: Uint8Array, key = randomBytes(32)): string {
    const iv = randomBytes(16);
    const cipher = createCipheriv(`aes-${8 * key.length}-cbc`, key, iv);
    const data = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    return `${publicEncrypt({ key: createPublicKey(publicPem), ...oaep }, key).toString("base64")}|${data.toString("base64")}`;
  }

  test("seals messages for the server that Node opens", async () => {
    const serverKey = await readServerKey(publicPem, "OAEP-SHA-256");
    await fc.assert(
      fc.asyncProperty(bytes, async (plain) => {
        const { aesKey, data } = await sealHybrid(serverKey, Uint8Array.from(plain));
        const key = privateDecrypt({ key: nodePrivate, ...oaep }, Buffer.from(aesKey, "base64"));
        const [iv, cipher] = [Buffer.from(data, "base64").subarray(0, 16), Buffer.from(data, "base64").subarray(16)];
        const decipher = createDecipheriv("aes-256-cbc", key, iv);
        expect(Buffer.concat([decipher.update(cipher), decipher.final()]).equals(plain)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test("never repeats a key or an IV", async () => {
    const serverKey = await readServerKey(publicPem, "OAEP-SHA-256");
    const messages = await Promise.all(Array.from({ length: 20 }, () => sealHybrid(serverKey, new Uint8Array(16))));
    const keys = messages.map(({ aesKey }) =>
      privateDecrypt({ key: nodePrivate, ...oaep }, Buffer.from(aesKey, "base64")).toString("hex"),
    );
    expect(new Set(keys).size).toBe(20);
    expect(new Set(messages.map(({ data }) => data.slice(0, 20))).size).toBe(20);
  });

  test("opens messages that Node seals", async () => {
    const key = await own;
    await fc.assert(
      fc.asyncProperty(bytes, async (plain) => {
        expect(await openHybrid(key, sealByNode(plain))).toEqual(plain);
      }),
      { numRuns: 20 },
    );
  });

  const good = sealByNode(Buffer.from("{}"));
  const [goodKey = "", goodData = ""] = good.split("|");

  test.each([
    ["nothing", ""],
    ["one part", goodData],
    ["three parts", `${good}|${goodData}`],
    ["a key that is not base64", `?|${goodData}`],
    ["data that are not base64", `${goodKey}|?`],
    ["another key", `${Buffer.alloc(256, 1).toString("base64")}|${goodData}`],
    ["a key that is too short", sealByNode(Buffer.from("{}"), randomBytes(16))],
    ["no data", `${goodKey}|`],
    ["an IV alone", `${goodKey}|${Buffer.alloc(16).toString("base64")}`],
    ["a broken block", `${goodKey}|${Buffer.alloc(33).toString("base64")}`],
  ])("refuses %s", async (_title, text) => {
    await expect(openHybrid(await own, text)).resolves.toBeUndefined();
  });
});

test.each([
  ["", "d41d8cd98f00b204e9800998ecf8427e"],
  ["a", "0cc175b9c0f1b6a831c399e269772661"],
  ["abc", "900150983cd24fb0d6963f7d28e17f72"],
  ["message digest", "f96b697d7cb7938d525a2f31aaf161d0"],
  ["abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"],
  [
    "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
    "57edf4a22be3c955ac49da2e2107b67a",
  ],
])("MD5 matches the test suite of RFC 1321: %j", (text, digest) => {
  expect(md5(text)).toBe(digest);
});

const reference = (text: string) => createHash("md5").update(text, "utf8").digest("hex");

test.each(Array.from({ length: 140 }, (_, length) => length))(
  "MD5 of %i bytes is correct, around block boundaries",
  (length) => {
    expect(md5("x".repeat(length))).toBe(reference("x".repeat(length)));
  },
);

test("MD5 hashes any text as UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(md5(text)).toBe(reference(text));
    }),
  );
});

describe("rsa", () => {
  const { subtle } = globalThis.crypto;
  const byJwaName = { "RSA-OAEP-256": "OAEP-SHA-256", "RSA-OAEP": "OAEP-SHA-1" } as const;
  const paddings = Object.keys(rsaSchemes) as RsaPadding[];

  const privateKey = (jwk: object, padding: RsaPadding) =>
    subtle.importKey(
      "jwk",
      { ...jwk, key_ops: ["decrypt"] },
      { name: "RSA-OAEP", hash: rsaSchemes[padding].hash },
      false,
      ["decrypt"],
    );

  /** The vectors that browsers can open: WebCrypto has no PKCS#1 v1.5. */
  function inOaep<T extends { readonly padding: string }>(
    cases: readonly T[],
  ): (Omit<T, "padding"> & { padding: RsaPadding })[] {
    return cases.flatMap((each) =>
      each.padding === "RSA1_5" ? [] : [{ ...each, padding: byJwaName[each.padding as "RSA-OAEP"] }],
    );
  }

  test.each(inOaep(secureMode.answers))(
    "opens the answer for $clientKey in $padding",
    async ({ clientKey, padding, plain, base64 }) => {
      const key = await privateKey(secureMode.clientKeys[clientKey].jwk, padding);
      const opened = await decryptBlocks(key, Uint8Array.from(Buffer.from(base64, "base64")));
      expect(new TextDecoder().decode(opened)).toBe(plain);
    },
  );

  test.each(inOaep(secureMode.credentials))(
    "opens the credentials in $padding: $name",
    async ({ padding, plain, base64 }) => {
      const key = await privateKey(secureMode.serverKey.jwk, padding);
      const opened = await decryptBlocks(key, Uint8Array.from(Buffer.from(base64, "base64")));
      expect(new TextDecoder().decode(opened)).toBe(plain);
    },
  );

  describe.each(paddings)("%s", (padding) => {
    const { hash, overhead } = rsaSchemes[padding];
    const capacity = 256 - overhead;
    const nodePrivate = createPrivateKey({ key: secureMode.serverKey.jwk, format: "jwk" });
    const options = { key: nodePrivate, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash.replace("-", "") };
    const openByNode = (blocks: Uint8Array) =>
      Buffer.concat(
        Array.from({ length: blocks.length / 256 }, (_, index) =>
          privateDecrypt(options, blocks.subarray(256 * index, 256 * (index + 1))),
        ),
      );

    test("encrypts by blocks what Node decrypts, and opens it", async () => {
      const publicKey = await readServerKey(secureMode.serverKey.publicPem, padding);
      const own = await privateKey(secureMode.serverKey.jwk, padding);
      const bytes = fc.uint8Array({ maxLength: 3 * capacity, size: "max" });
      await fc.assert(
        fc.asyncProperty(bytes, async (plain) => {
          const cipher = await encryptBlocks(publicKey, padding, Uint8Array.from(plain));
          expect(cipher.length).toBe(256 * Math.max(1, Math.ceil(plain.length / capacity)));
          expect(openByNode(cipher).equals(plain)).toBe(true);
          expect(await decryptBlocks(own, cipher)).toEqual(plain);
        }),
        { numRuns: 20, examples: [[new Uint8Array(0)], [new Uint8Array(capacity)], [new Uint8Array(capacity + 1)]] },
      );
    });

    test("refuses a fraction of a block or another padding", async () => {
      const own = await privateKey(secureMode.serverKey.jwk, padding);
      const other = publicEncrypt({ ...options, oaepHash: hash === "SHA-1" ? "sha256" : "sha1" }, Buffer.from("x"));
      for (const cipher of [
        new Uint8Array(0),
        new Uint8Array(255),
        new Uint8Array(257),
        new Uint8Array(256),
        Uint8Array.from(other),
      ]) {
        await expect(decryptBlocks(own, cipher)).resolves.toBeUndefined();
      }
    });
  });

  const { publicPem } = secureMode.serverKey;

  test.each([
    ["unchanged", publicPem],
    ["with CR LF", publicPem.replaceAll("\n", "\r\n")],
    ["with surrounding blanks", `\n  ${publicPem}  \n`],
  ])("reads PEM %s", async (_title, text) => {
    const key = await readServerKey(text, "OAEP-SHA-256");
    expect(key.algorithm).toMatchObject({ name: "RSA-OAEP", modulusLength: 2048, hash: { name: "SHA-256" } });
    expect(key.usages).toEqual(["encrypt"]);
  });

  const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({
    type: "spki",
    format: "pem",
  }) as string;
  const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
    type: "spki",
    format: "pem",
  }) as string;

  test.each([
    ["nothing", ""],
    ["rubbish", "key"],
    ["a frame without key", "-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----"],
    ["bytes that are not a key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"],
    ["a private key", publicPem.replaceAll("PUBLIC", "PRIVATE")],
    ["a key too small", small],
    ["a key of another kind", curve],
  ])("refuses %s", async (_title, text) => {
    await expect(readServerKey(text, "OAEP-SHA-256")).rejects.toMatchObject({
      name: "ChannelError",
      reason: "server-key",
    });
  });
});

test("base64 agrees with the platform's, in both directions", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(lenientBase64(encodeBase64(bytes))).toEqual(bytes);
    }),
  );
});

test.each([8_191, 8_192, 8_193, 1_000_000])("base64 encodes %i bytes", (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
  expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  const back = lenientBase64(encodeBase64(bytes));
  expect(back).toBeInstanceOf(Uint8Array);
  // In one step: comparing a million elements one by one takes seconds.
  expect(Buffer.compare(back as Uint8Array, bytes)).toBe(0);
});

test.each(["a", "====", "ab-_", "ä", "{}"])("base64 %j is refused", (text) => {
  expect(lenientBase64(text)).toBeUndefined();
});
