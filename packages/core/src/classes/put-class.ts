import { ServiceError } from "../errors/index.ts";
import {
  acceptClasses,
  acceptIncompatibleChanges,
  builtInClasses,
  type GivenClass,
  isSameClass,
  type Model,
  incompatibleChangesOf,
} from "../model/index.ts";
import { isUserClass, reserveUserNames } from "../objects/index.ts";
import { currentModel, type SessionContext, sessionEvent } from "../request/index.ts";
import { type ClassDefinition, type Repositories, requireAdministrator, seesAll } from "../storage/index.ts";
import { type IndexAlignment, ReadyIndexes } from "./align-indexes.ts";
import { type ClassStructure, structureOf } from "./read-structure.ts";

export interface PutClassInput {
  readonly name: string;
  readonly definition: GivenClass;
  /** Accepted generations of the model; `null` for any. */
  readonly expectedGenerations: readonly number[] | null;
}

export interface PutClassOutcome {
  readonly structure: ClassStructure;
  readonly generation: number;
}

/**
 * Creates a class or replaces its definition completely, with an audit event. 404: the caller is not an administrator.
 * 307: an invalid definition, or incompatible objects. 713: another generation.
 */
export class PutClass {
  constructor(private readonly indexes: IndexAlignment) {}

  async putClass(context: SessionContext, input: PutClassInput): Promise<PutClassOutcome> {
    const { r: outside, database, principal } = context;
    requireAdministrator(principal);
    // Check before the lock, so that a refused request blocks no writer.
    await prepare(outside, input);
    const { model, becomesUsers } = await database.storage.transaction(async (r) => {
      await r.model.lock();
      const { before, after, definition } = await prepare(r, input);
      const known = before.find(input.name)?.definition;
      if (known !== undefined && isSameClass(known, definition)) return { model: before, becomesUsers: false };
      const outcome = await r.model.change({ put: [definition] }, before.generation);
      if (outcome === "stale") throw new ServiceError(706, { detail: "The model changed although it was locked." });
      await r.audit.append(
        sessionEvent(context, { type: known === undefined ? "class.created" : "class.changed", className: input.name }),
      );
      return {
        model: after,
        becomesUsers: known !== undefined && isUserClass(after, input.name) && !isUserClass(before, input.name),
      };
    });
    // Existing objects of the class become users.
    if (becomesUsers) await reserveUserNames(database);
    this.indexes.begin(database);
    const modelClass = model.find(input.name);
    if (modelClass === undefined) throw new ServiceError(799, { detail: "The stored class was not found." });
    const source = { model, principal, indexes: await ReadyIndexes.of(model, database.storage) };
    return { structure: structureOf(modelClass, source), generation: model.generation };
  }
}

interface Prepared {
  readonly before: Model;
  readonly after: Model;
  readonly definition: ClassDefinition;
}

/** Runs all checks and returns the definition to store. */
async function prepare(
  r: Repositories,
  { name, definition: given, expectedGenerations }: PutClassInput,
): Promise<Prepared> {
  const before = await currentModel(r.model, expectedGenerations);
  const { definitions, after } = await acceptClasses([{ name, definition: given, pointer: "" }], before, r.objects);
  await acceptIncompatibleChanges(incompatibleChangesOf(name, before, after), r.objects);
  return { before, after, definition: definitions[0] as ClassDefinition };
}

export interface RemoveClassInput {
  readonly name: string;
  /** Accepted generations of the model; `null` for any. */
  readonly expectedGenerations: readonly number[] | null;
}

/**
 * Removes an unused class, with an audit event. 404: the caller is not an administrator. 304: unknown class. 307: the
 * class is built in, or has objects (live or recycled), subclasses or links to it. 713: another generation.
 */
export class RemoveClass {
  constructor(private readonly indexes: IndexAlignment) {}

  async removeClass(context: SessionContext, input: RemoveClassInput): Promise<{ readonly generation: number }> {
    const { r: outside, database, principal } = context;
    requireAdministrator(principal);
    // Check before the lock, so that a refused request blocks no writer.
    await prepareRemoval(outside, input);
    const generation = await database.storage.transaction(async (r) => {
      await r.model.lock();
      const before = await prepareRemoval(r, input);
      const outcome = await r.model.change({ put: [], removed: [input.name] }, before.generation);
      if (outcome === "stale") throw new ServiceError(706, { detail: "The model changed although it was locked." });
      await r.audit.append(sessionEvent(context, { type: "class.removed", className: input.name }));
      return before.generation + 1;
    });
    this.indexes.begin(database);
    return { generation };
  }
}

/** Runs all checks and returns the current model. */
async function prepareRemoval(r: Repositories, { name, expectedGenerations }: RemoveClassInput): Promise<Model> {
  const model = await currentModel(r.model, expectedGenerations);
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
  return model;
}
