import { alignIndexes } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";

/** Builds the indexes of the databases' classes, or waits until the server has done so. */
export async function buildIndexes({ databases }: Pick<RunningServer, "databases">): Promise<void> {
  for (const database of databases.values()) {
    if (database === null) continue;
    while ((await alignIndexes(database.storage)) === "busy");
  }
}
