import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { types } from "node:util";
import { keyRefusals, type ServerKeyKind, type ServerKeyPair, type ServerKeys } from "@sallyport/core";
import { NodeServerKeys } from "@sallyport/crypto";
import type { TlsCredentials } from "@sallyport/http";
import { type Configuration, whyUnreadable, secretFileFaults } from "../configuration/index.ts";
import { StartError } from "./start-error.ts";

/** Reads certificate and keys as the server does at startup. Throws a `StartError` for an unusable file. */
export function checkSuppliedFiles(configuration: Configuration): void {
  tlsFiles(configuration);
  suppliedKeys(configuration, new NodeServerKeys());
}

/** The warnings of the configuration, and files with secrets that are open to others. */
export function startWarnings({ warnings, secretFiles }: Configuration): string[] {
  return [...warnings, ...secretFileFaults(secretFiles).map(({ fault, fix }) => `${fault} Run: ${fix}`)];
}

/** The configured certificate and key, checked to match; `null` without TLS. */
export function tlsFiles({ server: { tls } }: Configuration): TlsCredentials | null {
  const { certificateFile, keyFile } = tls;
  if (certificateFile === undefined || keyFile === undefined) return null;
  const files = { certificate: read(certificateFile, "certificate"), key: read(keyFile, "key") };
  try {
    createSecureContext({ cert: files.certificate, key: files.key });
  } catch (cause) {
    throw new StartError(
      `The certificate ${certificateFile} cannot be used with the key ${keyFile} (${reasonOf(cause)}).`,
      { cause },
    );
  }
  return files;
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new StartError(`The ${what} file ${file} ${whyUnreadable(cause)}.`, { cause });
  }
}

/** Short reason: an operating system code, or the last part of an OpenSSL message. */
function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return "unknown";
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall !== undefined && code !== undefined ? code : (error.message.split("::").at(-1) ?? error.message);
}

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
    const imported = serverKeys.import(kind, read(file, "key").toString("utf8"), passphrase);
    if ("refused" in imported)
      throw new StartError(`The key in ${file} cannot be used. ${keyRefusals[imported.refused]}`);
    pairs.set(kind, imported.pair);
  }
  return pairs;
}

/** The configured master key, or that of the demo, generated on first use; `null` if there is none. */
export async function masterKeyOf({ encryption, demoMasterKeyFile }: Configuration): Promise<Uint8Array | null> {
  if (encryption.masterKey !== undefined) return Buffer.from(encryption.masterKey, "base64");
  return demoMasterKeyFile === null ? null : demoMasterKey(demoMasterKeyFile);
}

/** Milliseconds for which another process can be writing the file that it has just created. */
const writeTime = 1_000;

async function demoMasterKey(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, `${randomBytes(32).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  for (const until = performance.now() + writeTime; ; await pause(20)) {
    const key = Buffer.from(await readFile(file, "utf8"), "base64");
    if (key.length === 32) return key;
    if (performance.now() > until)
      throw new StartError(`The file ${file} does not contain a master key: base64 of 32 bytes.`);
  }
}
