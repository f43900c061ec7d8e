import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { referenceFiles } from "./reference-files.ts";

/** Names of the files in a directory that are missing or not what the code says; empty when all is well. */
export function checkReference(directory: string): string[] {
  return [...referenceFiles()].flatMap(([name, text]) => (contentOf(join(directory, name)) === text ? [] : name));
}

function contentOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
