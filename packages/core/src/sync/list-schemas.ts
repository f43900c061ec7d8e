import { ServiceError } from "@sallyport/storage";
import type { SessionContext, Uses } from "../request/index.ts";
import { syncFailure } from "./sync-failure.ts";
import { BrokenFilterError, type SchemaView, schemaView } from "./schema-view.ts";
import type { SyncDirection, SyncSchema } from "./sync-schema.ts";
import type { RequiredSchema } from "./sync-schemas.ts";
import { neverSynchronized, syncVersionText } from "./sync-version.ts";
import type { PullServices } from "./pull-changes.ts";

/** A schema for a caller. */
export interface ListedSyncSchema {
  readonly name: string;
  /** The covered classes that the caller can read. */
  readonly classes: readonly string[];
  readonly direction: SyncDirection;
  readonly syncVersion: string;
  /** The oldest version that can be synchronized. */
  readonly oldestSyncVersion: string;
  /** Number of objects. */
  readonly count: number;
  /** For administrators: why devices cannot synchronize the schema any more. It then has neither versions nor a count. */
  readonly broken?: string;
}

/**
 * Lists the schemas with classes that the caller can read, by name. Only administrators see those that do not fit the
 * classes any more. 717, 611, 721: see `SyncSchemas`. 716: the changes cannot be read.
 */
export async function listSyncSchemas(
  context: SessionContext & Uses<Pick<PullServices, "syncSchemas">>,
): Promise<ListedSyncSchema[]> {
  const { enabled, schemas, databaseGeneration } = await context.services.syncSchemas.current(context);
  if (!enabled) throw new ServiceError(717);
  if (schemas.size === 0) throw new ServiceError(611);
  const listed: ListedSyncSchema[] = [];
  const stamps = await stampsOf(context);
  for (const schema of schemas.values()) {
    const view = await fittingView(context, { schema, databaseGeneration });
    if (view instanceof ServiceError) {
      if (context.principal.administrator) listed.push(brokenSchema(schema, view));
    } else if (view.classes.length > 0) listed.push(await listedSchema(context, view, stamps));
  }
  return listed;
}

/** The view of a schema, or the error if its filter does not fit the classes. */
async function fittingView(context: SessionContext, required: RequiredSchema): Promise<SchemaView | ServiceError> {
  try {
    return await schemaView(context, required);
  } catch (error) {
    if (error instanceof BrokenFilterError) return error;
    throw error;
  }
}

function brokenSchema({ name, classes, direction }: SyncSchema, { detail }: ServiceError): ListedSyncSchema {
  return {
    name,
    classes: classes.map(({ className }) => className).toSorted(),
    direction,
    syncVersion: neverSynchronized,
    oldestSyncVersion: neverSynchronized,
    count: 0,
    broken: detail ?? "",
  };
}

interface Stamps {
  readonly latest: number;
  readonly swept: number;
}

async function stampsOf({ r: { objects }, unit }: SessionContext): Promise<Stamps> {
  try {
    const latest = await objects.watermark();
    const { swept } = await objects.changes({
      classes: [],
      after: { stamp: latest, id: null },
      upTo: latest,
      limit: 1,
    });
    return { latest, swept };
  } catch (error) {
    throw unit.joined ? error : syncFailure(716, error);
  }
}

async function listedSchema(context: SessionContext, view: SchemaView, { latest, swept }: Stamps) {
  const { r, unit, database } = context;
  const { schema, classes, filter, visibility, generation } = view;
  const counted = () => r.objects.count({ classes, ...(filter === null ? {} : { filter }) }, visibility);
  const versionAt = (stamp: number) => syncVersionText({ generation, stamp });
  return {
    name: schema.name,
    classes,
    direction: schema.direction,
    syncVersion: versionAt(latest),
    oldestSyncVersion: versionAt(swept),
    count: await (unit.joined ? counted() : database.counts.get(`sync ${schema.name} ${generation}`, counted)),
  };
}
