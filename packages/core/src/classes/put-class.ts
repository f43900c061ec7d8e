import {
  builtInClasses,
  type ClassDefinition,
  type Permission,
  permissions,
  type Repositories,
  requireAdministrator,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import {
  acceptClasses,
  acceptIncompatibleChanges,
  type ClassRequest,
  isSameClass,
  Model,
  incompatibleChangesOf,
} from "../model/index.ts";
import { isUserClass, reserveUserNames } from "../objects/index.ts";
import { changesBetween, loadModel, sessionEvent, type SessionContext, type Uses } from "../request/index.ts";
import { schemasBrokenBy } from "../sync/index.ts";
import { ReadyIndexes, type ClassServices } from "./align-indexes.ts";
import { type ClassStructure, structureOf } from "./read-structure.ts";

export interface PutClassInput {
  readonly name: string;
  readonly definition: ClassRequest;
  /** Accepted generations of the model; `null` for any. */
  readonly expectedGenerations: readonly number[] | null;
  /** Whether to break schemas of synchronization. Default: no. */
  readonly force?: boolean;
}

export interface PutClassOutcome extends ModelChange {
  readonly structure: ClassStructure;
}

/** A change of the classes. */
export interface ModelChange {
  readonly generation: number;
  /** Names of the schemas of synchronization that do not fit the classes any more. */
  readonly brokenSchemas: readonly string[];
}

/**
 * Creates a class or replaces its definition completely, with an audit event. 404: the caller is not an administrator.
 * 307: an invalid definition, incompatible objects, or a schema of synchronization that would break, without `force`.
 * 713: another generation.
 */
export async function putClass(
  context: SessionContext & Uses<ClassServices>,
  input: PutClassInput,
): Promise<PutClassOutcome> {
  const { r: outside, database, principal } = context;
  requireAdministrator(principal);
  // Check before the lock, so that a refused request blocks no writer.
  await prepare(outside, input);
  const { model, becomesUsers, brokenSchemas } = await database.storage.transaction(async (r) => {
    await r.model.lock();
    const { before, after, definition, brokenSchemas: broken } = await prepare(r, input);
    const stored = before.find(input.name)?.definition;
    if (stored !== undefined && isSameClass(stored, definition))
      return { model: before, becomesUsers: false, brokenSchemas: broken };
    const outcome = await r.model.change({ put: [definition] }, before.generation);
    if (outcome === "stale") throw new ServiceError(706, { detail: "The model changed although it was locked." });
    const type = stored === undefined ? "class.created" : "class.changed";
    const changes = changesBetween(stored === undefined ? null : auditedClass(stored), auditedClass(definition));
    await r.audit.append(sessionEvent(context, { type, className: input.name, changes }));
    return {
      model: after,
      brokenSchemas: broken,
      becomesUsers: stored !== undefined && isUserClass(after, input.name) && !isUserClass(before, input.name),
    };
  });
  // Existing objects of the class become users.
  if (becomesUsers) await reserveUserNames(database);
  context.services.indexKeeper.begin(database);
  const modelClass = model.find(input.name);
  if (modelClass === undefined) throw new ServiceError(799, { detail: "The stored class was not found." });
  const source = { model, principal, indexes: await ReadyIndexes.of(model, database.storage) };
  return { structure: structureOf(modelClass, source), generation: model.generation, brokenSchemas };
}

/** The groups of each right, and each attribute. */
function auditedClass({ base, title, attributes, rights }: ClassDefinition): object {
  const groupsWith = (right: Permission) =>
    rights.filter((each) => each.permissions.includes(right)).map(({ group }) => group);
  return {
    base,
    ...(title === undefined ? {} : { title }),
    ...Object.fromEntries(permissions.map((right) => [`rights.${right}`, groupsWith(right)])),
    ...Object.fromEntries(attributes.map(({ name, ...attribute }) => [`attributes.${name}`, attribute])),
  };
}

interface Prepared extends Pick<ModelChange, "brokenSchemas"> {
  readonly before: Model;
  readonly after: Model;
  readonly definition: ClassDefinition;
}

/** Runs all checks and returns the definition to store. */
async function prepare(
  r: Repositories,
  { name, definition: request, expectedGenerations, force = false }: PutClassInput,
): Promise<Prepared> {
  const before = await loadModel(r.model, expectedGenerations);
  const { definitions, after } = await acceptClasses([{ name, definition: request, pointer: "" }], before, r.objects);
  await acceptIncompatibleChanges(incompatibleChangesOf(name, before, after), r.objects);
  const brokenSchemas = await acceptBrokenSchemas(r, { before, after, force });
  return { before, after, definition: definitions[0] as ClassDefinition, brokenSchemas };
}

/** The schemas of synchronization that the change breaks. 307 if there are any, without `force`. */
async function acceptBrokenSchemas(
  r: Repositories,
  { before, after, force }: { readonly before: Model; readonly after: Model; readonly force: boolean },
): Promise<string[]> {
  const broken = await schemasBrokenBy(r, before, after);
  if (broken.length === 0 || force) return broken;
  const detail = `These schemas of synchronization would break: ${broken.join(", ")}. Change them first, or pass force.`;
  throw new ServiceError(307, { detail });
}

export type RemoveClassInput = Omit<PutClassInput, "definition">;

/**
 * Removes an unused class, with an audit event. 404: the caller is not an administrator. 304: unknown class. 307: the
 * class is built in, or has objects (live or recycled), subclasses or links to it, or a schema of synchronization needs
 * it, without `force`. 713: another generation.
 */
export async function removeClass(
  context: SessionContext & Uses<ClassServices>,
  input: RemoveClassInput,
): Promise<ModelChange> {
  const { r: outside, database, principal } = context;
  requireAdministrator(principal);
  // Check before the lock, so that a refused request blocks no writer.
  await prepareRemoval(outside, input);
  const change = await database.storage.transaction(async (r) => {
    await r.model.lock();
    const { before, brokenSchemas } = await prepareRemoval(r, input);
    const outcome = await r.model.change({ put: [], removed: [input.name] }, before.generation);
    if (outcome === "stale") throw new ServiceError(706, { detail: "The model changed although it was locked." });
    const removed = before.find(input.name)?.definition;
    const changes = changesBetween(removed === undefined ? null : auditedClass(removed), null);
    await r.audit.append(sessionEvent(context, { type: "class.removed", className: input.name, changes }));
    return { generation: before.generation + 1, brokenSchemas };
  });
  context.services.indexKeeper.begin(database);
  return change;
}

/** Runs all checks and returns the current model. */
async function prepareRemoval(
  r: Repositories,
  { name, expectedGenerations, force = false }: RemoveClassInput,
): Promise<Pick<Prepared, "before" | "brokenSchemas">> {
  const model = await loadModel(r.model, expectedGenerations);
  const modelClass = model.find(name);
  if (modelClass === undefined) throw new ServiceError(304);
  const refuse = (detail: string) => new ServiceError(307, { detail });
  if (builtInClasses.some((each) => each.name === name)) throw refuse("A built-in class cannot be removed.");
  const below = modelClass.subtree.filter((each) => each !== name);
  if (below.length > 0) throw refuse(`These classes inherit from the class: ${below.join(", ")}.`);
  const referrers = [...model.all()].flatMap(({ definition }) =>
    definition.name === name
      ? []
      : definition.attributes.filter(({ target }) => target === name).map((each) => `${definition.name}.${each.name}`),
  );
  if (referrers.length > 0) throw refuse(`These attributes reference the class: ${referrers.join(", ")}.`);
  const recycled = await r.objects.count({ classes: [name], recycled: true }, seesAll);
  const count = (await r.objects.count({ classes: [name] }, seesAll)) + recycled;
  if (count > 0) throw refuse(`The class has ${count} objects, ${recycled} of them in the recycle bin.`);
  const remaining = Array.from(model.all(), ({ definition }) => definition).filter((each) => each.name !== name);
  const after = new Model({ generation: model.generation + 1, classes: remaining });
  return { before: model, brokenSchemas: await acceptBrokenSchemas(r, { before: model, after, force }) };
}
