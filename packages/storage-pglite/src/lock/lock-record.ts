import { readFile } from "node:fs/promises";
import { machineIdentity, processStart, type MachineIdentity } from "./process-identity.ts";

/** What a lock file says of its holder; JSON, written whole before the file gets its name. */
export interface LockRecord extends MachineIdentity {
  /** Unlike any other record's, ever. */
  readonly token: string;
  readonly pid: number;
  /** As {@link processStart} gives it. */
  readonly start: string | null;
  /** Name of the holder's {@link LockBeacon} in the same directory; `null` when none could be lit. */
  readonly beacon: string | null;
  /** ISO 8601. */
  readonly since: string;
}

/** The record of this process. */
export function ownLockRecord(token: string, beacon: string | null): LockRecord {
  return {
    token,
    pid: process.pid,
    start: processStart(process.pid),
    beacon,
    since: new Date().toISOString(),
    ...machineIdentity(),
  };
}

/** @returns `undefined` when there is no such file, "unreadable" when it holds no record */
export async function readLockRecord(file: string): Promise<LockRecord | "unreadable" | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : "unreadable";
  } catch {
    return "unreadable";
  }
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<string, unknown>;
  const texts = [record["token"], record["host"], record["since"]];
  const optional = [record["start"], record["beacon"], record["bootId"], record["pidNamespace"]];
  return (
    Number.isSafeInteger(record["pid"]) &&
    (record["pid"] as number) > 0 &&
    texts.every((text) => typeof text === "string") &&
    optional.every((text) => text === null || typeof text === "string")
  );
}
