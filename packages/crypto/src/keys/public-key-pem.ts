import type { KeyObject } from "node:crypto";
import forge from "node-forge";

/** The public key as PEM with CR LF at the end of every line, as clients of this protocol are used to it. */
export function publicKeyPem(key: KeyObject): string {
  const body = key.export({ type: "spki", format: "der" }).toString("latin1");
  return forge.pem.encode({ type: "PUBLIC KEY", body });
}
