import { allPages, type RandomSource, type RecordKind, type Repositories, ServiceError } from "@sallyport/storage";
import type { AdministrationContext, Database, RequestContext } from "../request/index.ts";
import { isSyncSchema, type SyncSchema, syncSchemaKind } from "./sync-schema.ts";
import { syncFailure } from "./sync-failure.ts";

/** Synchronization of one database. */
export interface SyncState {
  readonly enabled: boolean;
  /** A text that a restored database does not share with the original. */
  readonly databaseGeneration: string;
  readonly schemas: ReadonlyMap<string, SyncSchema>;
}

/** A schema, with the generation of its database. */
export interface RequiredSchema extends Pick<SyncState, "databaseGeneration"> {
  readonly schema: SyncSchema;
}

export const syncSwitchKind: RecordKind<{ readonly enabled: boolean }> = "syncSwitch";

const generationKind: RecordKind<string> = "syncGeneration";

/** The only id of the switch and of the generation. */
export const currentSync = "current";

/** Longer than any database is in use. Records with a lifetime are not archived, so a restored database gets another generation. */
const lifetime = 100 * 365 * 86_400_000;

type SyncContext = Pick<RequestContext, "r" | "database" | "unit" | "settingsGeneration">;

interface CachedSchemas extends SyncState {
  readonly settingsGeneration: number;
}

/** The schemas of the databases, cached until the settings change or the database is restored. */
export class SyncSchemas {
  private readonly cached = new WeakMap<Database, CachedSchemas>();

  constructor(private readonly random: RandomSource) {}

  /** 721 if the schemas cannot be read. */
  async current({ r, database, unit, settingsGeneration }: SyncContext): Promise<SyncState> {
    try {
      const databaseGeneration = await this.generationOf(r);
      const cached = this.cached.get(database.whole);
      if (cached?.settingsGeneration === settingsGeneration && cached.databaseGeneration === databaseGeneration)
        return cached;
      const state = { settingsGeneration, databaseGeneration, ...(await readSync(r)) };
      // An open transaction can be rolled back.
      if (!unit.joined) this.cached.set(database.whole, state);
      return state;
    } catch (error) {
      throw syncFailure(721, error);
    }
  }

  /**
   * The schema of this name. In this order: 717 if synchronization is disabled, 611 if there is no schema at all, 335
   * without a name, 333 for an unknown name.
   */
  async require(context: SyncContext, name: string | undefined): Promise<RequiredSchema> {
    const { enabled, schemas, databaseGeneration } = await this.current(context);
    if (!enabled) throw new ServiceError(717);
    if (schemas.size === 0) throw new ServiceError(611);
    if (name === undefined) throw new ServiceError(335);
    const schema = schemas.get(name);
    if (schema === undefined) throw new ServiceError(333);
    return { schema, databaseGeneration };
  }

  private async generationOf({ records }: Pick<Repositories, "records">): Promise<string> {
    const stored = async () => (await records.get(generationKind, [currentSync]))[0]?.value;
    const existing = await stored();
    if (existing !== undefined) return existing;
    const own = this.random.secret();
    // Another server can have stored its generation first.
    const outcome = await records.put(generationKind, currentSync, own, { lifetime, ifVersion: "none" });
    const generation = outcome === "stored" ? own : await stored();
    if (generation === undefined) throw new ServiceError(799, { detail: "The generation of the database is missing." });
    return generation;
  }
}

/**
 * Makes all clients synchronize from the beginning. Necessary for a database that was copied by the means of its engine:
 * it has the generation of the original. The next request of a client creates another one.
 */
export function restartSync({ unit, eventOf }: Pick<AdministrationContext, "unit" | "eventOf">): Promise<void> {
  return unit.transaction(async (r) => {
    await r.records.remove(generationKind, { ids: [currentSync] });
    await r.audit.append(eventOf({ type: "sync.restarted" }));
  });
}

/** The stored switch and schemas. 721 if a schema is damaged. */
export async function readSync({
  records,
}: Pick<Repositories, "records">): Promise<Pick<SyncState, "enabled" | "schemas">> {
  const [enabled, { schemas, damaged }] = await Promise.all([isSyncEnabled(records), storedSchemas(records)]);
  if (damaged.length > 0)
    throw new ServiceError(721, { detail: `The records of these schemas are damaged: ${damaged.join(", ")}.` });
  return { enabled, schemas: new Map(schemas.map((schema) => [schema.name, schema])) };
}

/** The switch: on by default. */
export async function isSyncEnabled(records: Repositories["records"]): Promise<boolean> {
  const [stored] = await records.get(syncSwitchKind, [currentSync]);
  return stored?.value.enabled ?? true;
}

/** The stored schemas, and the ids of records that are none. */
export async function storedSchemas(
  records: Repositories["records"],
): Promise<{ readonly schemas: readonly SyncSchema[]; readonly damaged: readonly string[] }> {
  const stored = await allPages(
    (page) => records.list(syncSchemaKind, page),
    ({ id }) => id,
  );
  return {
    schemas: stored.flatMap(({ id, value }) => (isSyncSchema(value, id) ? [value] : [])),
    damaged: stored.flatMap(({ id, value }) => (isSyncSchema(value, id) ? [] : [id])),
  };
}
