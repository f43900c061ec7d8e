import {
  AnswerTooLargeError,
  type AttributeDefinition,
  type Attributes,
  faultAt,
  type JsonValue,
  type Links,
  type ObjectId,
  type ObjectOutline,
  type ObjectRepository,
  ServiceError,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { type Model, targetClass } from "../../model/index.ts";
import type { AcceptedAttributes, AcceptedLink } from "./accept-attributes.ts";
import type { TargetReference } from "./target-reference.ts";

/** Ids and UUIDs of objects. UUIDs are in lower case. */
export interface ObjectKeys {
  readonly ids: readonly ObjectId[];
  readonly uuids: readonly string[];
}

/** Outlines of those of the objects that are visible. An object with both an id and a UUID among the keys has two. */
export async function readOutlines(
  { ids, uuids }: ObjectKeys,
  {
    model,
    objects,
    visibility,
  }: {
    readonly model: Model;
    readonly objects: Pick<ObjectRepository, "match" | "outlines">;
    readonly visibility: Visibility;
  },
): Promise<readonly ObjectOutline[]> {
  const classes = Array.from(model.all(), ({ definition }) => definition.name);
  const filter = { kind: "oneOf", path: { hops: [], leaf: "~UUID", type: "uuid" }, values: uuids } as const;
  const [withIds, withUuids] = await Promise.all([
    ids.length === 0 ? [] : objects.outlines(ids, visibility),
    uuids.length === 0 ? [] : objects.match({ classes, filter }, visibility, uuids.length),
  ]);
  return [...withIds, ...withUuids];
}

export interface ResolvedAttributes {
  readonly attributes: Attributes;
  /** Links of the attributes that reference objects. */
  readonly links: Links;
  readonly targets: readonly StoredObject[];
}

export interface LinkSource {
  readonly model: Model;
  readonly objects: Pick<ObjectRepository, "get" | "match" | "outlines">;
  /** Invisible objects cannot be link targets. */
  readonly visibility: Visibility;
  /** Maximum total bytes of targets to read. */
  readonly answerBytes: number;
}

/**
 * Resolves references to ids, in one round trip. 307 for a target that is invisible or of the wrong class, and for a
 * duplicate in a collection. A collection set to null becomes null if the caller sees everything, else an empty list:
 * it may keep invisible members, which the caller must not detect.
 */
export async function resolveLinks(accepted: AcceptedAttributes, source: LinkSource): Promise<ResolvedAttributes> {
  const targets = accepted.links.length === 0 ? noTargets : await readTargets(accepted.links, source);
  return applyTargets(accepted, source, targets);
}

/**
 * Like `resolveLinks`, for many writes in one round trip. A refused write has its error in place of a result, and an error
 * in the list stays where it is. The results have no `targets`.
 */
export async function resolveAllLinks(
  all: readonly (AcceptedAttributes | ServiceError)[],
  source: Omit<LinkSource, "answerBytes">,
): Promise<readonly (ResolvedAttributes | ServiceError)[]> {
  const keys = keysIn(all.flatMap((each) => (each instanceof ServiceError ? [] : each.links)));
  const targets = { find: finder(await readOutlines(keys, source)), all: [] };
  return all.map((each) =>
    each instanceof ServiceError ? each : unlessRefused(() => applyTargets(each, source, targets)),
  );
}

/** The result of the work, or the `ServiceError` that it throws. */
export function unlessRefused<T>(work: () => T): T | ServiceError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function applyTargets(
  { plain, links: accepted, emptied }: AcceptedAttributes,
  source: Pick<LinkSource, "model" | "visibility">,
  targets: Targets,
): ResolvedAttributes {
  const attributes = new Map<string, JsonValue>(plain);
  const links = new Map<string, readonly ObjectId[]>();
  for (const link of accepted) {
    const ids = link.targets.map(({ reference, pointer }) =>
      checkedId(targets.find(reference), reference, link.attribute, source, pointer),
    );
    refuseRepeated(link, ids);
    links.set(link.attribute.name, ids);
    attributes.set(link.attribute.name, link.attribute.type === "collection" ? ids : (ids[0] as ObjectId));
  }
  for (const { name, type } of emptied) {
    links.set(name, []);
    attributes.set(name, type === "collection" && !seesEverything(source.visibility) ? [] : null);
  }
  return { attributes: Object.fromEntries(attributes), links: Object.fromEntries(links), targets: targets.all };
}

function seesEverything({ classes, principals }: Visibility): boolean {
  return classes === null && principals === null;
}

type Target = Pick<StoredObject, "id" | "uuid" | "className">;

interface Targets {
  readonly all: readonly StoredObject[];
  readonly find: (reference: TargetReference) => Target | undefined;
}

const noTargets: Targets = { all: [], find: () => undefined };

/** Reads the targets as a whole if they are not too large, for use in the answer. */
async function readTargets(links: readonly AcceptedLink[], source: LinkSource): Promise<Targets> {
  const keys = keysIn(links);
  const whole = await readWhole(keys, source);
  return { all: whole ?? [], find: finder(whole ?? (await readOutlines(keys, source))) };
}

function keysIn(links: readonly AcceptedLink[]): ObjectKeys {
  const references = links.flatMap(({ targets }) => targets.map(({ reference }) => reference));
  const ids = new Set(references.flatMap(({ id }) => id ?? []));
  const uuids = new Set(references.flatMap(({ id, uuid }) => (id === null ? (uuid ?? []) : [])));
  return { ids: [...ids], uuids: [...uuids] };
}

function finder(targets: readonly Target[]): Targets["find"] {
  const byId = new Map(targets.map((object) => [object.id, object]));
  const byUuid = new Map(targets.map((object) => [object.uuid, object]));
  return ({ id, uuid }) => (id === null ? byUuid.get(uuid ?? "") : byId.get(id));
}

/** The objects, each once, for use in the answer; `null` if they are too large. */
async function readWhole(
  { ids, uuids }: ObjectKeys,
  { objects, visibility, answerBytes }: LinkSource,
): Promise<readonly StoredObject[] | null> {
  try {
    const [withIds, withUuids] = await Promise.all([
      ids.length === 0 ? [] : objects.get(ids, visibility, answerBytes),
      uuids.length === 0 ? [] : objects.get({ uuids }, visibility, answerBytes),
    ]);
    return [...new Map([...withIds, ...withUuids].map((object) => [object.id, object])).values()];
  } catch (error) {
    if (error instanceof AnswerTooLargeError) return null;
    throw error;
  }
}

/** The id of a target. Throws 307 if there is none, or if it is of another class than the attribute or the reference names. */
function checkedId(
  target: Target | undefined,
  { uuid, className }: TargetReference,
  attribute: AttributeDefinition,
  { model, visibility }: Pick<LinkSource, "model" | "visibility">,
  pointer: string,
): ObjectId {
  if (
    target === undefined ||
    (uuid ?? target.uuid) !== target.uuid ||
    (className ?? target.className) !== target.className
  ) {
    throw faultAt(pointer, "There is no object with this id or UUID.");
  }
  const expectedClass = targetClass(attribute);
  if (expectedClass === null || model.find(expectedClass)?.subtree.includes(target.className) === true)
    return target.id;
  // Do not name a class that the caller cannot read.
  const expected = visibility.classes?.has(expectedClass) === false ? "another class" : `the class ${expectedClass}`;
  throw faultAt(pointer, `An object of ${expected} is expected.`);
}

function refuseRepeated({ targets }: AcceptedLink, ids: readonly ObjectId[]): void {
  const seen = new Set<ObjectId>();
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) throw faultAt(targets[index]?.pointer ?? "", "The collection already contains the object.");
    seen.add(id);
  }
}
