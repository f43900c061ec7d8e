import { generateKeyPairSync, type KeyPairKeyObjectResult, webcrypto } from "node:crypto";
import type { ClientKeyPair } from "@sallyport/client";

let pair: KeyPairKeyObjectResult | undefined;

/** The RSA key of the client in encrypted and secure log-ins. One for a whole run, made on first use: generation is slow. */
export function clientKey(): KeyPairKeyObjectResult {
  pair ??= generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return pair;
}

/** The same key for `SallyportClient`. */
export async function clientKeyPair(): Promise<ClientKeyPair> {
  const { subtle } = webcrypto;
  const { publicKey, privateKey } = clientKey();
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256" };
  const [{ kty, n, e }, secret] = [publicKey.export({ format: "jwk" }), privateKey.export({ format: "jwk" })];
  return {
    publicKey: await subtle.importKey("jwk", { kty, n, e } as JsonWebKey, algorithm, true, ["encrypt"]),
    privateKey: await subtle.importKey("jwk", secret as JsonWebKey, algorithm, false, ["decrypt"]),
  };
}
