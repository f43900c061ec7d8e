import { readFileSync } from "node:fs";
import type { JsonWebKey } from "node:crypto";
import type { RsaPadding } from "@sallyport/core";

type JwaPadding = "RSA-OAEP-256" | "RSA-OAEP" | "RSA1_5";

interface SecureModeVectors {
  readonly serverKey: { readonly jwk: JsonWebKey; readonly publicPem: string };
  readonly clientKeys: Readonly<Record<"rsa2048" | "rsa4096", { readonly jwk: JsonWebKey }>>;
  readonly publicKeyForms: Readonly<Record<string, string>>;
  readonly credentials: readonly { name: string; padding: JwaPadding; plain: string; base64: string }[];
  readonly answers: readonly { clientKey: "rsa2048" | "rsa4096"; padding: JwaPadding; plain: string; base64: string }[];
  readonly traffic: readonly {
    readonly symmetricKey: string;
    readonly ivPrefix: string;
    readonly direction: 1 | 2;
    readonly message: string;
    readonly iv: string;
    readonly plainBase64: string;
    readonly cipherBase64: string;
  }[];
}

/** Test vectors from another implementation; see the note in the file. */
export const secureMode = JSON.parse(
  readFileSync(new URL("../../vectors/secure-mode.json", import.meta.url), "utf8"),
) as SecureModeVectors;

export const paddingNames: Readonly<Record<JwaPadding, RsaPadding>> = {
  "RSA-OAEP-256": "OAEP-SHA-256",
  "RSA-OAEP": "OAEP-SHA-1",
  RSA1_5: "PKCS1-v1_5",
};
