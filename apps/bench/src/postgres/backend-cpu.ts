import { readFile } from "node:fs/promises";

/** Linux counts processor time for other processes in hundredths of a second. */
const microsecondsPerTick = 10_000;

/** Microseconds of processor time that each of these processes has used; `null` where the system does not tell. */
export async function backendCpu(pids: readonly number[]): Promise<ReadonlyMap<number, number> | null> {
  const times = new Map<number, number>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
    if (stat === null || !stat.includes("(postgres)")) return null;
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    times.set(pid, (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick);
  }
  return times;
}

/** What was used between the two moments, by processes that were there at the second. */
export function backendCpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return Array.from(after).reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
}
