import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { findDriver, SqliteKernel } from "@sallyport/storage-sqlite";

/** SQLite, in a file for each check. */
export default {
  name: "SqliteKernel",
  concurrency: 4,
  // Each transaction waits for the disk.
  timeLimit: 120_000,
  create: async ({ clockOffset }) => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-sqlite-"));
    const file = join(directory, "data.db");
    const driver = findDriver();
    let refusals = 0;
    const open = (path: string) => {
      const database = driver(path);
      // The trigger below calls a function.
      database.exec("pragma trusted_schema = 1");
      const functions = database as unknown as { function(name: string, call: () => number): void };
      functions.function("refuses", () => (refusals-- > 0 ? 1 : 0));
      return database;
    };
    const kernels: SqliteKernel[] = [];
    const another = async () => {
      const kernel = new SqliteKernel(file, { clockOffset }, open);
      kernels.push(kernel);
      return kernel;
    };
    return {
      kernel: await another(),
      another,
      reopen: another,
      refuseNext: async (times) => {
        const database = open(file);
        database.exec(`create trigger if not exists refuse before insert on sallyport_rows
          when new.tbl = 'records' and refuses() begin select raise(abort, 'refused'); end`);
        database.close();
        refusals = times;
      },
      destroy: async () => {
        await Promise.all(kernels.map((kernel) => kernel.close()));
        await rm(directory, { recursive: true });
      },
    };
  },
} satisfies AdapterUnderTest;
