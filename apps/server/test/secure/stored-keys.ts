import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { keyPath, pemFile } from "@sallyport/test-kit/crypto/key-files";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";

/** Keys for a server under test, so that it generates none, and tests can sign and encrypt for it. */
export const storedServerKeys = {
  MASTER_KEY: Buffer.alloc(32, "master key").toString("base64"),
  RSA_KEY_FILE: keyPath("rsa-2048"),
  JWT_KEY_FILE: keyPath("ec-p256"),
};

export const serverRsaKey = createPublicKey(pemFile("rsa-2048"));
export const serverSigningKey = createPrivateKey(pemFile("ec-p256"));

export interface ClientKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Base64 of the public key's DER. */
  readonly text: string;
}

function clientKeys(privateKey: KeyObject): ClientKeys {
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, text: publicKey.export({ type: "spki", format: "der" }).toString("base64") };
}

export const client = clientKeys(createPrivateKey({ key: secureMode.clientKeys.rsa2048.jwk, format: "jwk" }));
/** Another client. */
export const stranger = clientKeys(createPrivateKey(pemFile("rsa-3072")));
