import { statSync } from "node:fs";
import type { DatabaseConfiguration } from "../configuration.ts";
import { readReason } from "../sources/read-reason.ts";
import type { Contradiction } from "./contradiction.ts";

/** Folders of macros that are none. `common`: the one of all databases that name none of their own. */
export function* macrosContradictions(common: string | undefined, databases: readonly DatabaseConfiguration[]): Generator<Contradiction> {
  const named = databases.map(({ macros }, index) => [`databases[${index}].macros.directory`, macros.directory] as const);
  const own = named.filter(([, directory]) => directory !== null && directory !== common);
  for (const [path, directory] of [["macros.directory", common ?? null] as const, ...own]) {
    const reason = directory === null ? null : noDirectory(directory);
    if (reason !== null) yield { path, reason };
  }
}

function noDirectory(directory: string): string | null {
  try {
    return statSync(directory).isDirectory() ? null : "names something that is no folder";
  } catch (error) {
    return `names a folder that ${readReason(error)}`;
  }
}
