import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { types } from "node:util";
import type { TlsFiles } from "@sallyport/http";
import type { Configuration } from "../configuration/index.ts";
import { StartError } from "./start-error.ts";

/** Certificate and key as configured, known to belong together; `null` without TLS. */
export function tlsFiles({ server: { tls } }: Configuration): TlsFiles | null {
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
    throw new StartError(`The file ${file} with the ${what} cannot be read (${reasonOf(cause)}).`, { cause });
  }
}

/** The short form: a code of the operating system, or the last part of what OpenSSL says. */
function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return "unknown";
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall !== undefined && code !== undefined ? code : (error.message.split("::").at(-1) ?? error.message);
}
