import type { ConfigurationDocument } from "../schema/configuration-schema.ts";
import { unreadable } from "../sources/unreadable.ts";
import type { Contradiction } from "./contradiction.ts";

/** Settings of the keys that do not go together. */
export function* encryptionContradictions({ encryption }: ConfigurationDocument): Generator<Contradiction> {
  const { rsaKeyFile, rsaKeyPassphrase, jwtKeyFile, jwtKeyPassphrase } = encryption;
  for (const [name, file] of Object.entries({ rsaKeyFile, jwtKeyFile })) {
    if (file === undefined) continue;
    const reason = unreadable(file);
    if (reason !== null) yield { path: `encryption.${name}`, reason: `names a file that ${reason}` };
    if (encryption.masterKey === undefined) {
      yield { path: "encryption.masterKey", reason: `is required with ${name}`, against: [`encryption.${name}`] };
    }
  }
  if (rsaKeyPassphrase !== undefined && rsaKeyFile === undefined) {
    yield { path: "encryption.rsaKeyFile", reason: "is required when there is a passphrase" };
  }
  if (jwtKeyPassphrase !== undefined && jwtKeyFile === undefined) {
    yield { path: "encryption.jwtKeyFile", reason: "is required when there is a passphrase" };
  }
}
