import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Configuration } from "../../configuration/index.ts";
import { StartError } from "../start-error.ts";

/** The master key of the configuration, or the demo's own, made when it is first needed; `null` if there is none. */
export async function masterKeyOf({ encryption, demoMasterKeyFile }: Configuration): Promise<Uint8Array | null> {
  if (encryption.masterKey !== undefined) return Buffer.from(encryption.masterKey, "base64");
  return demoMasterKeyFile === null ? null : demoMasterKey(demoMasterKeyFile);
}

async function demoMasterKey(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, `${randomBytes(32).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = Buffer.from(await readFile(file, "utf8"), "base64");
  if (key.length !== 32) throw new StartError(`The file ${file} holds no master key: base64 of 32 bytes.`);
  return key;
}
