import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referenceFiles } from "./reference-files.ts";

/** Writes the reference into a directory, which is made if need be. */
export function writeReference(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of referenceFiles()) writeFileSync(join(directory, name), text);
}
