import { statSync } from "node:fs";
import { readReason } from "./read-reason.ts";

/** What is wrong with a folder, as the end of "names …"; `null` if nothing is. `mayBeMissing`: it is made when it is needed. */
export function folderTrouble(folder: string, { mayBeMissing = false } = {}): string | null {
  try {
    return statSync(folder).isDirectory() ? null : "something that is no folder";
  } catch (error) {
    if (mayBeMissing && (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    return `a folder that ${readReason(error)}`;
  }
}
