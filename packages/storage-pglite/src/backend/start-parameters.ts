import { PGlite } from "@electric-sql/pglite";
import type { WorkerSettings } from "./worker-messages.ts";

/**
 * The server's command line: PGlite's own without `-F`, which turns fsync off, where commits are to be durable.
 * The write-ahead log keeps at most a few segments of 16 MB beyond what a checkpoint needs: nobody archives it.
 */
export function startParameters({
  durable,
  statementTimeout,
}: Pick<WorkerSettings, "durable" | "statementTimeout">): string[] {
  const inherited = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
  const settings = [
    "max_wal_size=64MB",
    "min_wal_size=32MB",
    `statement_timeout=${statementTimeout}`,
    ...(durable ? ["wal_sync_method=fsync"] : []),
  ];
  return [...inherited, ...(durable ? [] : ["-F"]), ...settings.flatMap((setting) => ["-c", setting])];
}
