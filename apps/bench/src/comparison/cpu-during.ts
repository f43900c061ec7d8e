import { backendCpu, backendCpuBetween, type BenchDatabase } from "../database/bench-database.ts";
import type { MeasuredProcess } from "../processes/measured-process.ts";

/** Microseconds of CPU time while some work ran. */
interface Used<T> {
  readonly cpu: number;
  /** Of the database backends; `null` where the system does not report it. */
  readonly backendCpu: number | null;
  readonly result: T;
}

export async function cpuDuring<T>(
  server: MeasuredProcess,
  database: BenchDatabase,
  work: () => Promise<T>,
): Promise<Used<T>> {
  const sample = () =>
    Promise.all([server.ask("sample"), database.backends().then((pids) => backendCpu(pids))] as const);
  const [{ cpu: cpuBefore }, before] = await sample();
  const result = await work();
  const [{ cpu }, after] = await sample();
  return { cpu: cpu - cpuBefore, backendCpu: before && after && backendCpuBetween(before, after), result };
}
