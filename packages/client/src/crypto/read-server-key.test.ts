import { generateKeyPairSync } from "node:crypto";
import { secureMode } from "../../../crypto/test/vectors.ts";
import { readServerKey } from "./read-server-key.ts";

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
