import {
  faultAt,
  type Filter,
  jsonBytes,
  type Links,
  maxWrittenBytes,
  type ObjectChange,
  type ObjectOutline,
  type ObjectQuery,
  type ObjectRepository,
  refusedAs,
  type Repositories,
  ServiceError,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { mayOnClass, type Model, visibilityOf } from "../model/index.ts";
import { inTransaction, type SessionContext, withCurrentModel } from "../request/index.ts";
import type { InputAttributes } from "./attributes/accept-attributes.ts";
import { batches } from "./batches.ts";
import { guardFileAttributes, isFileClass } from "./files/file-class.ts";
import { findHookRunner } from "./hooks/run-find-hooks.ts";
import { hookFailure } from "./hooks/hook-caller.ts";
import { type AcceptChange, type HookedSave, hooksOfSaves, type SaveHooks } from "./hooks/save-hooks.ts";
import { prepareAttributes } from "./prepare-attributes.ts";
import { type QueryRequest, resolveQuery } from "./query/resolve-query.ts";
import type { ResolvedAttributes } from "./attributes/resolve-links.ts";
import type { AttributeChange } from "./update-object.ts";
import { guardUserAttributes, isUserClass } from "./user-names.ts";
import { updateUsers } from "./write-object.ts";
import { missingClass, withoutRight } from "./object-findings.ts";
import type { ObjectContext } from "./hooks/active-hooks.ts";

const maximumObjects = 10_000;
/** Batch size of a write. Bytes include the old and the new values, which are sent to storage and back. */
const batchSize = { items: 1_000, bytes: 8 * 1024 * 1024 };
const maximumLinks = 100_000;

export interface UpdateObjectsInput {
  readonly className: string;
  readonly query: QueryRequest;
  readonly attributes: InputAttributes;
  /** Accepted versions of each object; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

export interface UpdatedObjects {
  readonly count: number;
}

/**
 * Sets the same attributes on all objects that match a query, in one transaction. 304: unknown or unreadable class.
 * 404: no right to write one of the matching objects. 502: a file name that is not accepted. 307: invalid attributes or query, or more than 10,000 objects, 64
 * MiB or 100,000 links to write. 713: another version, a lock of another session, or the
 * storage refuses the write.
 */
export function updateObjects(
  context: ObjectContext,
  { className, query: request, attributes: input, expectedVersions }: UpdateObjectsInput,
): Promise<UpdatedObjects> {
  const { r, unit, principal, sessionDigest } = context;
  return withCurrentModel(context, async (whole) => {
    const model = whole.as(principal);
    const visibility = visibilityOf(principal, model);
    const modelClass = model.find(className);
    if (modelClass === undefined || visibility.classes?.has(className) === false) throw missingClass(model, className);
    if (!modelClass.subtree.some((name) => mayWrite(context, model, name))) throw withoutRight("write", modelClass);
    const runFindHooks = await findHookRunner(context, {
      className,
      macro: request["macro"],
      model,
    });
    const query = await resolveQuery(request, { model, objects: r.objects, visibility, className, runFindHooks });
    const prepared = await prepareAttributes(context, input, { model, modelClass, visibility, isComplete: false });
    const { attributes, links } = prepared;
    const bytes = jsonBytes([attributes, links]);
    const by = { session: sessionDigest, modelGeneration: model.generation, visibility };
    const matches = async (objects: ObjectRepository): Promise<readonly ObjectOutline[]> => {
      const matching = await lockMatches(objects, query, visibility);
      for (const name of new Set(matching.map((match) => match.className))) acceptClass(context, model, name, input);
      acceptSize(matching, bytes, links);
      return matching;
    };
    const write: WriteAll = isUserClass(model, className)
      ? (inside, changes) => updateUsers({ ...context, r: inside }, changes, by)
      : ({ objects }, changes) => objects.update(changes, by);
    const hooks = await hooksOfSaves(context, modelClass.subtree, { model, visibility });
    if (hooks !== null) {
      const accept = (name: string, set: InputAttributes) => acceptClass(context, model, name, set);
      const change = { attributes: input, prepared, expectedVersions };
      return refusedAs(713, changeManyWithHooks(hooks, context, change, { write, visibility, accept, matches }));
    }
    const changing = unit.transaction(async (inside) => {
      const matching = await matches(inside.objects);
      for (const batch of batches(matching, (outline) => outline.bytes + bytes, batchSize)) {
        const changes = batch.map(({ id }) => ({ id, attributes, links, expectedVersions }));
        await write(inside, changes);
      }
      return { count: matching.length };
    });
    return refusedAs(713, changing);
  });
}

/** Locks the matching objects. Matches again after locking, since concurrent writes may have changed them. */
async function lockMatches(
  objects: ObjectRepository,
  query: ObjectQuery,
  visibility: Visibility,
): Promise<readonly ObjectOutline[]> {
  const before = await objects.match(query, visibility, maximumObjects + 1);
  if (before.length > maximumObjects) throw faultAt("/query", `The query matches more than ${maximumObjects} objects.`);
  const ids = before.map(({ id }) => id);
  await objects.lock(ids);
  const among: Filter = { kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: ids };
  const filter: Filter = query.filter === undefined ? among : { kind: "all", filters: [among, query.filter] };
  return objects.match({ ...query, filter }, visibility, maximumObjects);
}

function mayWrite({ principal }: SessionContext, model: Model, className: string): boolean {
  const modelClass = model.find(className);
  return modelClass !== undefined && mayOnClass(principal, modelClass, "write");
}

/** Checks the rights and attributes for a class, which may be a subclass of the queried one. */
function acceptClass(context: SessionContext, model: Model, className: string, input: InputAttributes): void {
  if (!mayWrite(context, model, className))
    throw new ServiceError(404, { detail: `Objects of the class ${className} cannot be written.` });
  if (isFileClass(model, className)) {
    guardFileAttributes(Object.keys(input));
    for (const name of ["Name", "MediaType"])
      if (Object.hasOwn(input, name)) throw faultAt(`/${name}`, "Several files cannot be renamed at once.");
  }
  if (!isUserClass(model, className)) return;
  guardUserAttributes(context.principal, Object.keys(input));
  if (Object.hasOwn(input, "Name")) throw faultAt("/Name", "The names of several users cannot be set at once.");
}

/** 307 if the change is too large for one transaction. */
function acceptSize(matching: readonly ObjectOutline[], bytes: number, links: Links): void {
  const each = Object.values(links).flat().length;
  const total = matching.reduce((sum, outline) => sum + outline.bytes + bytes, 0);
  if (total <= maxWrittenBytes && matching.length * each <= maximumLinks) return;
  throw faultAt("/query", `The change is too large for ${matching.length} objects.`);
}

/** Batch size of a hook call. */
const hookBatchSize = { items: 200, bytes: 1024 * 1024 };

type WriteAll = (r: Repositories, changes: readonly ObjectChange[]) => Promise<readonly StoredObject[]>;

interface BulkChange {
  readonly write: WriteAll;
  readonly visibility: Visibility;
  readonly accept: AcceptChange;
  /** Finds and locks the objects. */
  readonly matches: (objects: ObjectRepository) => Promise<readonly ObjectOutline[]>;
}

/** Sets the same attributes on many objects and runs hooks in batches, in one transaction. */
function changeManyWithHooks(
  hooks: SaveHooks,
  context: ObjectContext,
  { attributes: input, prepared, expectedVersions }: AttributeChange & { readonly prepared: ResolvedAttributes },
  { write, visibility, accept, matches }: BulkChange,
): Promise<{ readonly count: number }> {
  return hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { objects } = inside.r;
      const matching = await matches(objects);
      for (const batch of batches(matching, ({ bytes }) => bytes, hookBatchSize)) {
        const bases = await read(objects, batch, visibility);
        if (bases.some(({ version }) => expectedVersions?.includes(version) === false))
          throw new ServiceError(713, { detail: "An object has another version." });
        const saves = bases.map(
          (base): HookedSave => ({ className: base.className, base, restoring: false, input, prepared }),
        );
        const changes = (await hooks.before(inside, saves, accept)).map(({ attributes, links }, index) => {
          return { id: (bases[index] as StoredObject).id, attributes, links, expectedVersions: null };
        });
        await hooks.after(inside, saves, await write(inside.r, changes));
      }
      return { count: matching.length };
    }),
  );
}

async function read(
  objects: ObjectRepository,
  batch: readonly ObjectOutline[],
  visibility: Visibility,
): Promise<readonly StoredObject[]> {
  const current = await objects.get(
    batch.map(({ id }) => id),
    visibility,
    Number.MAX_SAFE_INTEGER,
  );
  const byId = new Map(current.map((object) => [object.id, object]));
  return batch.map(({ id }) => {
    const object = byId.get(id);
    if (object === undefined) throw hookFailure("of a save", "removed an object in the save.");
    return object;
  });
}
