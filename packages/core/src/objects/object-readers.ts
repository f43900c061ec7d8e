import {
  faultAt,
  type ObjectId,
  type ObjectOutline,
  objectReference,
  refusedAs,
  seesAll,
  ServiceError,
  type SingleReference,
  type StoredObject,
} from "@sallyport/storage";
import { mayOnClass, type Model, visibilityOf } from "../model/index.ts";
import { requestModel, type SessionContext, sessionEvent, withCurrentModel } from "../request/index.ts";
import { visibleObject } from "./get-object.ts";
import { readOutlines } from "./attributes/resolve-links.ts";
import type { ReadScope } from "./serialization/serialization-source.ts";
import { isUserClass } from "./user-names.ts";
import { withoutRight } from "./object-findings.ts";

/** Limit for one object. */
const maximumReaders = 1_000;

export interface ObjectReaders {
  /** Ids of the users and groups with access; `null` leaves access to the class rights. */
  readonly readers: readonly ObjectId[] | null;
  readonly version: number;
}

export interface SetReadersInput {
  /** Ids or UUIDs of users and groups; `null` removes the list. */
  readonly readers: readonly string[] | null;
  /** Accepted versions of the object; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/** Returns the readers. 304: the object never existed or is invisible. 609: it is deleted. 404: no right to write. */
export async function getReaders(context: SessionContext, reference: SingleReference): Promise<ObjectReaders> {
  const model = await requestModel(context);
  const visibility = visibilityOf(context.principal, model);
  const { className, readers, version } = await visibleObject(context.r, reference, visibility, 609);
  acceptCaller(context, model, className);
  return { readers, version };
}

/**
 * Replaces the readers of an object: a write with an audit event in the same transaction. 304: the object never existed
 * or is invisible. 610: it is deleted. 404: no right to write, or a user or group object without an administrator. 307:
 * an invalid reader, too many readers, or a list that excludes the caller. 713: another version, a lock of another
 * session, or the storage refuses the write.
 */
export function setReaders(
  context: SessionContext,
  reference: SingleReference,
  { readers: texts, expectedVersions }: SetReadersInput,
): Promise<ObjectReaders> {
  const { r, unit, principal, sessionDigest } = context;
  return withCurrentModel(context, async (model) => {
    const visibility = visibilityOf(principal, model);
    const object = await visibleObject(r, reference, visibility, 610);
    const { id, className } = object;
    acceptCaller(context, model, className);
    const readers = texts === null ? null : await resolveReaders(context, texts, object, { model, visibility });
    // The class must still be the authorized one.
    const by = { session: sessionDigest, modelGeneration: model.generation, className, visibility };
    const changing = unit.transaction(async ({ objects, audit }) => {
      const [changed] = (await objects.update([{ id, attributes: {}, links: {}, readers, expectedVersions }], by)) as [
        StoredObject,
      ];
      await audit.append(sessionEvent(context, { type: "objectReaders.changed", className }));
      return { readers: changed.readers, version: changed.version };
    });
    return refusedAs(713, changing);
  });
}

/** Requires the right to write. Users and groups require an administrator, since they are readers of other objects. */
function acceptCaller({ principal }: SessionContext, model: Model, className: string): void {
  const modelClass = model.find(className);
  if (modelClass === undefined) throw new ServiceError(304);
  if (!mayOnClass(principal, modelClass, "write")) throw withoutRight("write", modelClass);
  if (principal.administrator || !isReaderClass(model, className)) return;
  throw new ServiceError(404, { detail: "Only administrators can set the readers of users and groups." });
}

function isReaderClass(model: Model, className: string): boolean {
  return isUserClass(model, className) || model.find("UserGroup")?.subtree.includes(className) === true;
}

/** Ids of readers, each once. Accepts visible objects, the caller and own groups, and ids that are already readers. */
async function resolveReaders(
  { r, principal }: SessionContext,
  texts: readonly string[],
  object: StoredObject,
  { model, visibility }: ReadScope,
): Promise<readonly ObjectId[]> {
  if (texts.length > maximumReaders) throw faultAt("/readers", `An object can have at most ${maximumReaders} readers.`);
  const references = texts.map(readerReference);
  const ids = references.flatMap((reference) => (reference.kind === "id" ? [reference.id] : []));
  const uuids = references.flatMap((reference) => (reference.kind === "uuid" ? [reference.uuid] : []));
  const own = new Set([principal.userId, ...principal.groups]);
  const outlines = await Promise.all([
    readOutlines({ ids: [...new Set(ids)], uuids: [...new Set(uuids)] }, { model, objects: r.objects, visibility }),
    principal.administrator ? [] : r.objects.outlines([...own], seesAll),
  ]);
  const candidates = outlines.flat().filter(({ className }) => isReaderClass(model, className));
  const [byId, byUuid] = [
    new Map(candidates.map((each) => [each.id, each])),
    new Map(candidates.map((each) => [each.uuid, each])),
  ];
  const idOf = (target: ObjectOutline | undefined, index: number): ObjectId => {
    if (target === undefined) throw faultAt(`/readers/${index}`, "There is no user or group with this id or UUID.");
    return target.id;
  };
  const present = new Set(object.readers);
  const readers = new Set(
    references.map((reference, index) => {
      if (reference.kind === "uuid") return idOf(byUuid.get(reference.uuid), index);
      return present.has(reference.id) ? reference.id : idOf(byId.get(reference.id), index);
    }),
  );
  const keepsCaller = principal.administrator || [...own].some((id) => readers.has(id));
  if (!keepsCaller) throw faultAt("/readers", "The caller or a group of the caller must be a reader.");
  return [...readers];
}

function readerReference(text: string, index: number): SingleReference {
  const reference = objectReference(text);
  if (reference === null || reference.kind === "class")
    throw faultAt(`/readers/${index}`, "The id or UUID of a user or a group is expected.");
  return reference;
}
