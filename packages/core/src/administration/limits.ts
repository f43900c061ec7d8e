import { readLimits, setLimits, type ShownLimit } from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";
import { contentVersion, replaceIfMatch, type Versioned } from "./replace-if-match.ts";

/** The limits of the database, in the order of the configuration. */
export async function administeredLimits(context: AdministratorContext): Promise<Versioned<readonly ShownLimit[]>> {
  const content = await readLimits(context);
  return { content, version: contentVersion(content, context.database.digests) };
}

export interface ChangeLimitsInput {
  /** By name. `null` returns to the configuration. */
  readonly changes: ReadonlyMap<string, number | null>;
  readonly expectedVersions: readonly number[];
}

/** As `setLimits`. Another version: 713. */
export function changeLimits(
  context: AdministratorContext,
  { changes, expectedVersions }: ChangeLimitsInput,
): Promise<Versioned<readonly ShownLimit[]>> {
  const { database } = context;
  return replaceIfMatch(context, {
    resource: "limits",
    expectedVersions,
    read: (r) => readLimits({ database, r }),
    write: (inside) => setLimits(inside, changes),
  });
}
