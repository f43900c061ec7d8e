import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import fc from "fast-check";
import { secureMode } from "../../../crypto/test/vectors.ts";
import { openHybrid, sealHybrid } from "./hybrid-message.ts";
import { readServerKey } from "./rsa.ts";

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

/** An answer as another implementation makes it. */
function sealByNode(plain: Uint8Array, key = randomBytes(32)): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv(`aes-${8 * key.length}-cbc`, key, iv);
  const data = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
  return `${publicEncrypt({ key: createPublicKey(publicPem), ...oaep }, key).toString("base64")}|${data.toString("base64")}`;
}

test("what is sealed for the server is what others open", async () => {
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

test("no two messages have a key or an IV in common", async () => {
  const serverKey = await readServerKey(publicPem, "OAEP-SHA-256");
  const messages = await Promise.all(Array.from({ length: 20 }, () => sealHybrid(serverKey, new Uint8Array(16))));
  const keys = messages.map(({ aesKey }) =>
    privateDecrypt({ key: nodePrivate, ...oaep }, Buffer.from(aesKey, "base64")).toString("hex"),
  );
  expect(new Set(keys).size).toBe(20);
  expect(new Set(messages.map(({ data }) => data.slice(0, 20))).size).toBe(20);
});

test("what others seal for the client comes out", async () => {
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
  ["a key that is no base64", `?|${goodData}`],
  ["data that are no base64", `${goodKey}|?`],
  ["another key", `${Buffer.alloc(256, 1).toString("base64")}|${goodData}`],
  ["a key that is too short", sealByNode(Buffer.from("{}"), randomBytes(16))],
  ["no data", `${goodKey}|`],
  ["an IV alone", `${goodKey}|${Buffer.alloc(16).toString("base64")}`],
  ["a broken block", `${goodKey}|${Buffer.alloc(33).toString("base64")}`],
])("%s is not opened", async (_title, text) => {
  await expect(openHybrid(await own, text)).resolves.toBeUndefined();
});
