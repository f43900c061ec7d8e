import { constants, createPrivateKey, generateKeyPairSync, privateDecrypt, publicEncrypt } from "node:crypto";
import fc from "fast-check";
import { secureMode } from "../../../crypto/test/vectors.ts";
import { decryptBlocks, encryptBlocks, readServerKey, type RsaPadding, rsaSchemes } from "./rsa.ts";

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

  test("what is encrypted by blocks is what others decrypt, and comes back", async () => {
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

  test("what is no whole number of blocks, or of another padding, is not opened", async () => {
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
  ["as it is", publicPem],
  ["with CR LF", publicPem.replaceAll("\n", "\r\n")],
  ["with blanks around", `\n  ${publicPem}  \n`],
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
  ["bytes that are no key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"],
  ["a private key", publicPem.replaceAll("PUBLIC", "PRIVATE")],
  ["a key too small", small],
  ["a key of another kind", curve],
])("refuses %s", async (_title, text) => {
  await expect(readServerKey(text, "OAEP-SHA-256")).rejects.toMatchObject({
    name: "ChannelError",
    reason: "server-key",
  });
});
