import type { DatabaseConfiguration } from "../configuration.ts";
import { folderTrouble } from "../sources/folder-trouble.ts";
import type { Contradiction } from "./contradiction.ts";

/** Folders of macros that are none. `common`: the one of all databases that name none of their own. */
export function* macrosContradictions(
  common: string | undefined,
  databases: readonly DatabaseConfiguration[],
): Generator<Contradiction> {
  const named = databases.map(
    ({ macros }, index) => [`databases[${index}].macros.directory`, macros.directory] as const,
  );
  const own = named.filter(([, directory]) => directory !== null && directory !== common);
  for (const [path, directory] of [["macros.directory", common ?? null] as const, ...own]) {
    const trouble = directory === null ? null : folderTrouble(directory);
    if (trouble !== null) yield { path, reason: `names ${trouble}` };
  }
}
