import { createPrivateKey, createSecretKey, hash } from "node:crypto";
import type { ServerKeyPair } from "@sallyport/core";
import type { BlockKey } from "./open-blocks.ts";

const prepared = new WeakMap<ServerKeyPair, BlockKey>();

/** The key of a pair, made ready once for as long as the pair is kept. */
export function prepareBlockKey(pair: ServerKeyPair): BlockKey {
  let key = prepared.get(pair);
  if (key === undefined) {
    key = prepare(pair);
    prepared.set(pair, key);
  }
  return key;
}

function prepare({ privateKey }: ServerKeyPair): BlockKey {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" });
  const { n = "", d = "" } = key.export({ format: "jwk" });
  const modulus = Buffer.from(n, "base64url");
  const exponent = Buffer.from(d, "base64url");
  const padded = Buffer.concat([Buffer.alloc(modulus.length - exponent.length), exponent]);
  return { key, modulus: new Uint8Array(modulus), rejectionKey: createSecretKey(hash("sha256", padded, "buffer")) };
}
