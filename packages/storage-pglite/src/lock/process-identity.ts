import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Where a process id means something: one boot of one kernel, one pid namespace in it. */
export interface MachineIdentity {
  readonly host: string;
  /** `null` on systems without /proc. */
  readonly bootId: string | null;
  /** `null` on systems without /proc. */
  readonly pidNamespace: string | null;
}

/** Where this process runs. */
export function machineIdentity(): MachineIdentity {
  return {
    host: hostname(),
    bootId: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** When the process was started, in clock ticks since boot; tells a recycled pid. `null` where /proc does not say. */
export function processStart(pid: number): string | null {
  return processStat(pid)?.start ?? null;
}

/**
 * Whether the process that had this pid and start time still runs, in this pid namespace.
 * A zombie does not run: nothing of it can write any more once its last thread is gone.
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
  // The second field is the command in parentheses and may hold anything; what follows starts with the third field.
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
