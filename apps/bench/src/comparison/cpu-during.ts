import { backendCpuBetween, type BenchDatabase, sampleBackendCpu } from "../database/bench-database.ts";
import type { MeasuredProcess } from "../processes/measured-process.ts";

/** Microseconds of CPU time while some work ran. */
interface CpuUse<T> {
  /** Of the server with its children. */
  readonly cpu: number;
  /** Of the database backends; `null` where the system does not report it. */
  readonly backendCpu: number | null;
  readonly result: T;
}

export async function cpuDuring<T>(
  server: MeasuredProcess,
  database: BenchDatabase,
  work: () => Promise<T>,
): Promise<CpuUse<T>> {
  const sample = () =>
    Promise.all([server.ask("sample"), database.backends().then((pids) => sampleBackendCpu(pids))] as const);
  const [{ cpu: cpuBefore }, before] = await sample();
  const result = await work();
  const [{ cpu }, after] = await sample();
  return { cpu: cpu - cpuBefore, backendCpu: before && after && backendCpuBetween(before, after), result };
}
