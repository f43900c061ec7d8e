import { readFileSync } from "node:fs";
import { keyRefusals, type ServerKeyKind, type ServerKeyPair, type ServerKeys } from "@sallyport/core";
import type { Configuration } from "../../configuration/index.ts";
import { StartError } from "../start-error.ts";

/** The key pairs that the configuration supplies as files. */
export function suppliedKeys(
  { encryption }: Configuration,
  serverKeys: ServerKeys,
): ReadonlyMap<ServerKeyKind, ServerKeyPair> {
  const pairs = new Map<ServerKeyKind, ServerKeyPair>();
  const { rsaKeyFile, rsaKeyPassphrase, jwtKeyFile, jwtKeyPassphrase } = encryption;
  const files = [
    { kind: "rsa", file: rsaKeyFile, passphrase: rsaKeyPassphrase },
    { kind: "jwt", file: jwtKeyFile, passphrase: jwtKeyPassphrase },
  ] as const;
  for (const { kind, file, passphrase } of files) {
    if (file === undefined) continue;
    const imported = serverKeys.import(kind, readFileSync(file, "utf8"), passphrase);
    if ("refused" in imported)
      throw new StartError(`The key in ${file} cannot be used. ${keyRefusals[imported.refused]}`);
    pairs.set(kind, imported.pair);
  }
  return pairs;
}
