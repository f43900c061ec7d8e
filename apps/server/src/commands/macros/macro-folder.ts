import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Option } from "commander";
import { demoMacros, loadConfiguration } from "../../configuration/index.ts";

export interface MacroFolderOptions {
  readonly directory?: string;
}

const ownFolder = "macros";

/** `--directory`, for commands that work on files of macros. */
export function macroFolderOption(otherwise: string): Option {
  return new Option(
    "-d, --directory <folder>",
    `folder of the macros (default: that of the configuration, or ./${ownFolder}${otherwise})`,
  );
}

/** The folder that new macros are written into: the one given, the configured one, or `./macros`. */
export function writtenFolder(directory: string | undefined, config?: string): string {
  return resolve(directory ?? configuredFolder(config) ?? ownFolder);
}

/** The folder whose macros are tried out: the same, or that of the demo where there is none of them. */
export function trialFolder(directory: string | undefined, config?: string): string {
  const folder = writtenFolder(directory, config);
  return directory === undefined && !existsSync(folder) ? (demoMacros() ?? folder) : folder;
}

/** The folder that somebody has configured; nobody writes into the one that the demo brings along. */
function configuredFolder(config: string | undefined): string | undefined {
  const { databases } = loadConfiguration({ file: config });
  const [directory] = databases.flatMap(({ macros }) => macros.directory ?? []);
  return directory === demoMacros() ? undefined : directory;
}
