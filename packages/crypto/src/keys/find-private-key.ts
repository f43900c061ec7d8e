import type { KeyRefusal } from "@sallyport/core";

/** The one private key among the parts of a PEM file. */
export interface PrivateKeyPart {
  readonly pem: string;
  readonly encrypted: boolean;
}

const anyPart = /-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----/gs;
const encryptedHeader = "Proc-Type: 4,ENCRYPTED";

/** Finds the private key of a PEM file that may hold parameters or certificates besides. */
export function findPrivateKey(text: string): PrivateKeyPart | KeyRefusal {
  const parts = [...text.matchAll(anyPart)].map(([pem, label]) => ({ pem, label: label ?? "" }));
  const [part, second] = parts.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  if (part !== undefined && second === undefined) {
    return { pem: part.pem, encrypted: part.label.startsWith("ENCRYPTED") || part.pem.includes(encryptedHeader) };
  }
  if (part !== undefined) return "notPem";
  const has = (ending: string) => parts.some(({ label }) => label.endsWith(ending));
  if (has("PUBLIC KEY")) return "publicKey";
  return has("CERTIFICATE") ? "certificate" : "notPem";
}
