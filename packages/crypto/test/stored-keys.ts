import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { ClientKey, ServerKeyKind, ServerKeyPair } from "@sallyport/core";
import { ForgeClientKeyParser, NodeServerKeys } from "@sallyport/crypto";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";

export type StoredKey = `rsa-${2048 | 3072 | 4096}` | "ec-p256";

const serverKeys = new NodeServerKeys();

/** A stored key as a key of the server. */
export function serverPair(name: StoredKey): ServerKeyPair {
  return importPair(name === "ec-p256" ? "jwt" : "rsa", pemFile(name));
}

export function pairFromJwk(jwk: JsonWebKey): ServerKeyPair {
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return importPair("rsa", key.export({ type: "pkcs8", format: "pem" }) as string);
}

function importPair(kind: ServerKeyKind, pem: string): ServerKeyPair {
  const imported = serverKeys.import(kind, pem);
  if ("refused" in imported) throw new Error(imported.refused);
  return imported.pair;
}

export function privateKeyOf({ privateKey }: ServerKeyPair): KeyObject {
  return createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" });
}

/** The public half of a pair, as a client sends it. */
export function clientKeyOf({ publicKey }: ServerKeyPair): ClientKey {
  const key = new ForgeClientKeyParser().parse(publicKey, []);
  if (key === undefined) throw new Error("no client key");
  return key;
}

export function publicKeyOf({ publicKey }: ServerKeyPair): KeyObject {
  return createPublicKey(publicKey);
}
