import { strictBase64 } from "../strict-base64.ts";

/** The bytes of a DER structure, and which one it is, where the text says so. */
export interface PublicKeyBytes {
  readonly der: Buffer;
  /** `undefined`: bare DER, which has to be looked into. */
  readonly form: "spki" | "pkcs1" | undefined;
}

const pem = /^-----BEGIN (RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END (RSA )?PUBLIC KEY-----$/;

/** Finds the DER in what a client may send as its key: PEM, base64 of PEM, or base64 of DER. */
export function readPublicKeyText(text: string): PublicKeyBytes | undefined {
  const bare = text.trim();
  if (bare.startsWith("-----")) return readPem(bare);
  const bytes = readBase64(bare);
  if (bytes === undefined) return undefined;
  const inner = bytes.toString("latin1").trim();
  return inner.startsWith("-----") ? readPem(inner) : { der: bytes, form: undefined };
}

function readPem(text: string): PublicKeyBytes | undefined {
  const [, begin, body = "", end] = pem.exec(text) ?? [];
  if (begin !== end) return undefined;
  const der = readBase64(body);
  return der && { der, form: begin === undefined ? "spki" : "pkcs1" };
}

/** Base64 in lines or not, in either alphabet but not in a mixture, with its padding or without. */
function readBase64(text: string): Buffer | undefined {
  const digits = text.replaceAll(/[ \t\r\n]+/g, "");
  if (digits === "") return undefined;
  const encoding = /[-_]/.test(digits) ? "base64url" : "base64";
  const bare = digits.length % 4 === 0 ? digits.replace(/={1,2}$/, "") : digits;
  const padding = encoding === "base64" ? "=".repeat(-bare.length & 3) : "";
  return strictBase64(bare + padding, encoding);
}
