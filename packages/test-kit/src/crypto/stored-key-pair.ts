import type { ClientKeyPair } from "@sallyport/client";
import { secureMode } from "./secure-mode-vectors.ts";

/** A stored client key pair: key generation is slow. */
export async function storedKeyPair(
  hash: "SHA-256" | "SHA-1" = "SHA-256",
  size: "rsa2048" | "rsa4096" = "rsa2048",
): Promise<ClientKeyPair> {
  const { subtle } = globalThis.crypto;
  const { jwk } = secureMode.clientKeys[size];
  const algorithm = { name: "RSA-OAEP", hash };
  return {
    publicKey: await subtle.importKey("jwk", { kty: "RSA", n: jwk.n ?? "", e: jwk.e ?? "" }, algorithm, true, [
      "encrypt",
    ]),
    privateKey: await subtle.importKey("jwk", jwk, algorithm, false, ["decrypt"]),
  };
}
