import { accessSync, constants } from "node:fs";
import { readReason } from "./read-reason.ts";

/** Why a file cannot be read, as the end of "a file that …"; `null` if it can. */
export function unreadable(file: string): string | null {
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return readReason(error);
  }
}
