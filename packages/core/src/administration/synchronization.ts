import { type Repositories, ServiceError } from "@sallyport/storage";
import { inTransaction, loadModel } from "../request/index.ts";
import {
  examineSchema,
  type ExaminedSchema,
  examineSchemas,
  type SyncSchemaInput,
  putSyncSchema,
  isSyncEnabled,
  removeSyncSchema,
  setSyncEnabled,
  storedSchemas,
  type SyncSchema,
} from "../sync/index.ts";
import type { AdministratorContext } from "./administrators.ts";
import { contentVersion, replaceIfMatch, serialize, type Versioned } from "./replace-if-match.ts";

/** Synchronization of the database. */
export interface AdministeredSync {
  readonly enabled: boolean;
  /** Seconds for which the database keeps tombstones; `null`: for ever. */
  readonly tombstoneSeconds: number | null;
}

/** The switch of synchronization, and how long devices can stay away. */
export async function administeredSync(context: AdministratorContext): Promise<Versioned<AdministeredSync>> {
  const content = await shownSync(context, context.r);
  return { content, version: contentVersion(content, context.database.digests) };
}

async function shownSync({ database }: AdministratorContext, r: Repositories): Promise<AdministeredSync> {
  const { tombstones } = database.policy.sync;
  const enabled = await isSyncEnabled(r.records);
  return { enabled, tombstoneSeconds: tombstones === 0 ? null : Math.round(tombstones / 1_000) };
}

export interface SwitchSyncInput {
  readonly enabled: boolean;
  readonly expectedVersions: readonly number[];
}

/** As `setSyncEnabled`. Another version: 713. */
export function switchSync(
  context: AdministratorContext,
  { enabled, expectedVersions }: SwitchSyncInput,
): Promise<Versioned<AdministeredSync>> {
  return replaceIfMatch(context, {
    resource: "sync",
    expectedVersions,
    read: (r) => shownSync(context, r),
    write: (inside) => setSyncEnabled(inside, enabled),
  });
}

/** A schema, with the reason if it does not fit the classes any more. */
export type AdministeredSyncSchema = SyncSchema & { readonly broken?: string };

/** All schemas by name, except damaged records. */
export async function listStoredSyncSchemas({ r }: Pick<AdministratorContext, "r">): Promise<AdministeredSyncSchema[]> {
  return (await examineSchemas(r)).examined.map(administered);
}

function administered({ schema, broken }: ExaminedSchema): AdministeredSyncSchema {
  return broken === null ? schema : { ...schema, broken };
}

/** Unknown schema: 304. */
export async function findSyncSchema(
  { r, database }: Pick<AdministratorContext, "r" | "database">,
  name: string,
): Promise<Versioned<AdministeredSyncSchema>> {
  const schema = await readSchema(r, name);
  if (schema === undefined) throw new ServiceError(304, { detail: "There is no schema of this name." });
  const examined = await examineSchema(schema, await loadModel(r.model, null), r.objects);
  return { content: administered(examined), version: contentVersion(schema, database.digests) };
}

async function readSchema(r: Repositories, name: string): Promise<SyncSchema | undefined> {
  return (await storedSchemas(r.records)).schemas.find((each) => each.name === name);
}

export interface StoreSyncSchemaInput extends SyncSchemaInput {
  /** The versions that the caller knows; `null` for a schema that must not exist yet. */
  readonly expectedVersions: readonly number[] | null;
}

/** As `putSyncSchema`. 307 for a schema that exists, without `expectedVersions`. Another version, or none: 713. */
export function storeSyncSchema(
  context: AdministratorContext,
  { expectedVersions, ...input }: StoreSyncSchemaInput,
): Promise<Versioned<AdministeredSyncSchema>> {
  const { digests } = context.database;
  return inTransaction(context, async (inside) => {
    await serialize(inside.r, digests.sha256(resourceOf(input.name)));
    const current = await readSchema(inside.r, input.name);
    if (expectedVersions === null && current !== undefined)
      throw new ServiceError(307, { detail: "The schema exists. The header If-Match is required." });
    if (expectedVersions !== null && !(current && expectedVersions.includes(contentVersion(current, digests))))
      throw new ServiceError(713, { detail: "Another request changed the resource." });
    await putSyncSchema(inside, input);
    return findSyncSchema(inside, input.name);
  });
}

/** Removes a schema. Unknown schema: 304. Another version: 713. */
export async function dropSyncSchema(
  context: AdministratorContext,
  { name, expectedVersions }: { readonly name: string; readonly expectedVersions: readonly number[] },
): Promise<void> {
  await findSyncSchema(context, name);
  await replaceIfMatch(context, {
    resource: resourceOf(name),
    expectedVersions,
    read: async (r): Promise<SyncSchema | null> => (await readSchema(r, name)) ?? null,
    write: (inside) => removeSyncSchema(inside, name),
  });
}

function resourceOf(name: string): string {
  return `sync schema ${name}`;
}
