import { readFile } from "node:fs/promises";

/** Linux counts processor time for other processes in hundredths of a second. */
const microsecondsPerTick = 10_000;

/** Microseconds of processor time that these processes have used together; `null` where the system does not tell. */
export async function backendCpu(pids: readonly number[]): Promise<number | null> {
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
    if (stat === null || !stat.includes("(postgres)")) return null;
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * microsecondsPerTick;
}
