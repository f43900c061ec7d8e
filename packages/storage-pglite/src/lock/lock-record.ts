import { readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** The content of a lock file: JSON, complete before the file gets its name. */
export interface LockRecord extends MachineIdentity {
  /** Globally unique. */
  readonly token: string;
  readonly pid: number;
  /** The result of {@link processStart}. */
  readonly start: string | null;
  /** Name of the holder's {@link LockBeacon} in the same directory; `null` if there is none. */
  readonly beacon: string | null;
  /** ISO 8601. */
  readonly since: string;
}

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

/** @returns `undefined` if the file is missing, "unreadable" if it contains no record */
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

/** The scope of a process id: one boot of one kernel, one pid namespace. */
interface MachineIdentity {
  readonly host: string;
  /** `null` on systems without /proc. */
  readonly bootId: string | null;
  /** `null` on systems without /proc. */
  readonly pidNamespace: string | null;
}

export function machineIdentity(): MachineIdentity {
  return {
    host: hostname(),
    bootId: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** The start time of the process in clock ticks since boot, which detects a recycled pid; `null` without /proc. */
function processStart(pid: number): string | null {
  return processStat(pid)?.start ?? null;
}

/**
 * Whether the process with this pid and start time runs in this pid namespace. A zombie does not run: after its last
 * thread ends, it cannot write.
 */
export function processRuns(pid: number, start: string | null): boolean {
  if (!exists(pid)) return false;
  const stat = processStat(pid);
  if (stat === undefined) return true;
  if (start !== null && stat.start !== start) return false;
  return !(stat.dead && stat.threads <= 1);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function processStat(pid: number): { start: string; dead: boolean; threads: number } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === null) return undefined;
  // The second field is the command in parentheses, with any content. The third field follows the last parenthesis.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, threads, start] = [fields[0], fields[17], fields[19]];
  if (state === undefined || threads === undefined || start === undefined) return undefined;
  return { start, dead: state === "Z" || state === "X", threads: Number(threads) };
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
