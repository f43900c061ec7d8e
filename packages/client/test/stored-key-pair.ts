import type { ClientKeyPair } from "@sallyport/client";
import { secureMode } from "../../crypto/test/vectors.ts";

/** A client's pair that was made beforehand: making one takes a while, and on a busy machine a long one. */
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
