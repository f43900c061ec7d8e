import { encodeBase64 } from "@sallyport/contract/secure";
import { isFor, type RsaKey } from "./rsa-key.ts";
import { type RsaPadding, rsaSchemes } from "./rsa-padding.ts";
import { webCrypto } from "./web-crypto.ts";

/** The client's RSA pair: the server encrypts its answer to a log-in for it. */
export interface ClientKeyPair {
  readonly publicKey: RsaKey;
  readonly privateKey: RsaKey;
}

/** A new pair of 2048 bits, whose private half cannot be taken out of the platform. */
export async function generateKeyPair(padding: RsaPadding): Promise<ClientKeyPair> {
  const { hash } = rsaSchemes[padding];
  const algorithm = { name: "RSA-OAEP", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash };
  return webCrypto().subtle.generateKey(algorithm, false, ["encrypt", "decrypt"]);
}

/** Refuses a pair that could not decrypt the answer, before anything is sent. Throws a `TypeError`. */
export function checkKeyPair({ publicKey, privateKey }: ClientKeyPair, padding: RsaPadding): void {
  if (!isFor(publicKey, padding) || !isFor(privateKey, padding) || !privateKey.usages.includes("decrypt")) {
    throw new TypeError(`The key pair is not one of RSA-OAEP with ${rsaSchemes[padding].hash} that may decrypt.`);
  }
}

/** Base64 of the public half as SubjectPublicKeyInfo, as it goes along with a log-in. */
export async function publicKeyText({ publicKey }: ClientKeyPair): Promise<string> {
  return encodeBase64(new Uint8Array(await webCrypto().subtle.exportKey("spki", publicKey)));
}
