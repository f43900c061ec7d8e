import { resolve } from "node:path";
import { Option } from "commander";

export interface MacroFolderOptions {
  readonly directory?: string;
}

const defaultFolder = "macros";

/** `--directory`, for commands that work on files of macros. */
export function macroFolderOption(): Option {
  return new Option("-d, --directory <folder>", `folder of the macros (default: that of the configuration, or ./${defaultFolder})`);
}

/** The folder that is worked in. `configured` is the one of the configuration. */
export function macroFolder(given: string | undefined, configured?: string): string {
  return resolve(given ?? configured ?? defaultFolder);
}
