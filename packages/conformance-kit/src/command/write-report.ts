import { writeFile } from "node:fs/promises";
import { described } from "../assert/described.ts";
import { UsageError } from "./usage-error.ts";

/** Writes a report file. Throws a `UsageError` if it cannot be written. */
export async function writeReport(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be written: ${described(error)}`, { cause: error });
  });
}
