import type { Digest } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { mayOnClass, type Model, visibilityOf } from "../../model/index.ts";
import { inTransaction, type SessionContext, withCurrentModel } from "../../request/index.ts";
import type {
  LockedRow,
  ObjectId,
  Principal,
  Repositories,
  SingleReference,
  StoredObject,
  Visibility,
} from "../../storage/index.ts";
import { visibleObject } from "../get-object.ts";
import { type ActiveHooks, noHooks, type ObjectHooks } from "../hooks/active-hooks.ts";
import { DeletionHooks, hooksOfDeletions } from "../hooks/deletion-hooks.ts";
import { hookFailure } from "../hooks/hook-caller.ts";
import type { Sight } from "../serialization-source.ts";
import { isUserClass } from "../user-names.ts";
import { deleteAll, type DeletionSet, deletionSetOf } from "./deletion-cascade.ts";

export interface DeleteObjectInput {
  readonly recycled: boolean;
  /** Versions that it may have; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/**
 * Deletes an object, in one transaction with all that follows from it: those that point to it lose the value, go with it, or keep it
 * from going, as their attributes say. One that never existed or that the caller may not see: 304; one that is gone: 609; without
 * the right to delete, and users for those who are no administrators: 404; another version: 713; what keeps it from going, be it a
 * rule, a lock of another session, rights that a class gives to a group, or that nobody would be an administrator, and too many objects of the caller in the recycle bin: 718.
 */
export class DeleteObject {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  deleteObject(
    context: SessionContext,
    reference: SingleReference,
    { recycled, expectedVersions }: DeleteObjectInput,
  ): Promise<void> {
    const { r, unit, principal, database, sessionDigest: session } = context;
    return withCurrentModel(context, async (model) => {
      const visibility = visibilityOf(principal, model);
      const { id, className } = await visibleObject(r, reference, visibility, 609);
      const modelClass = model.find(className);
      if (modelClass === undefined) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "delete")) throw new ServiceError(404);
      guardUsers([{ className }], { model, principal });
      const active = await hooksOfDeletions(this.hooks, context);
      const sight = { model, visibility };
      if (active !== null)
        return deleteWithHooks(active, context, id, { sight, known: model.as(principal), recycled, expectedVersions });
      return unit.transaction(async (inside) => {
        const held = await lockFirst(inside, id, { model, expectedVersions });
        const cascade = await acceptDeletion(inside, held, { ...sight, principal, session, recycled });
        await deleteAll(inside, cascade, { model, principal, database, recycled, root: id });
      });
    });
  }
}

interface HookedDeletion {
  readonly sight: Sight;
  /** The model for hooks, filtered by the rights of the caller. */
  readonly known: Model;
  readonly recycled: boolean;
  readonly expectedVersions: readonly number[] | null;
}

/** How often what hooks do may take more along. */
const mostRounds = 8;

/** Deletes an object with hooks, in one transaction with what they do; what that takes along, too, is told them before it goes. */
function deleteWithHooks(
  active: ActiveHooks,
  context: SessionContext,
  id: ObjectId,
  { sight, known, recycled, expectedVersions }: HookedDeletion,
): Promise<void> {
  const { principal, sessionDigest: session, database } = context;
  const { model } = sight;
  return active.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { r } = inside;
      const hooks = new DeletionHooks(active, { ...sight, model: known });
      let held = await lockFirst(r, id, { model, expectedVersions });
      for (let round = 1; ; round += 1) {
        const cascade = await acceptDeletion(r, held, { ...sight, principal, session, recycled });
        if (!(await hooks.before(inside, cascade.objects))) {
          await deleteAll(r, cascade, { model, principal, database, recycled, root: id });
          return hooks.after(inside, cascade.objects);
        }
        if (round > mostRounds) throw hookFailure("of a deletion", "takes along more and more.");
        const [now] = await r.deletion.lock([id], { modelGeneration: model.generation });
        // A hook has deleted it already.
        if (now === undefined) return undefined;
        held = now;
      }
    }),
  );
}

interface DeletionBy extends Sight {
  readonly principal: Principal;
  readonly session: Digest;
  readonly recycled: boolean;
}

/** What a deletion takes along, if nothing keeps it from going: users for those who are no administrators 404, otherwise 718. */
async function acceptDeletion(
  { deletion: repository }: Pick<Repositories, "deletion">,
  held: LockedRow,
  { model, visibility, principal, session, recycled }: DeletionBy,
): Promise<Pick<DeletionSet, "objects" | "linksToClear">> {
  const { objects, linksToClear, refusal } = await deletionSetOf(held, {
    repository,
    model,
    known: model.as(principal),
    visibility,
    session,
    recycled,
  });
  guardUsers(objects, { model, principal });
  if (refusal !== null) throw refusal;
  refuseGroupsWithRights(objects, { model, visibility });
  return { objects, linksToClear };
}

/** 404 when others than administrators delete users, whatever the rights on the class: whoever has those could remove administrators. */
export function guardUsers(
  going: readonly Pick<StoredObject, "className">[],
  { model, principal }: { readonly model: Model; readonly principal: Principal },
): void {
  if (!principal.administrator && going.some(({ className }) => isUserClass(model, className)))
    throw new ServiceError(404);
}

/** Holds the object that is to be deleted. One that is gone meanwhile: 609; another version than those expected: 713. */
async function lockFirst(
  { deletion: repository }: Pick<Repositories, "deletion">,
  id: ObjectId,
  { model, expectedVersions }: { readonly model: Model; readonly expectedVersions: readonly number[] | null },
): Promise<LockedRow> {
  const [held] = await repository.lock([id], { modelGeneration: model.generation });
  if (held === undefined) throw new ServiceError(609);
  if (expectedVersions !== null && !expectedVersions.includes(held.object.version))
    throw new ServiceError(713, { detail: "The object has another version." });
  return held;
}

/**
 * 718 while the rights of a class, or of one of its attributes, name a group among objects that go. The model that they are looked up in has to be held: it keeps
 * others from giving rights to the group meanwhile. A class that the caller cannot read is not named.
 */
function refuseGroupsWithRights(
  going: readonly Pick<StoredObject, "id" | "className">[],
  { model, visibility }: { readonly model: Model; readonly visibility: Visibility },
): void {
  const groups = new Set(
    going.filter(({ className }) => model.find("UserGroup")?.subtree.includes(className)).map(({ id }) => id),
  );
  if (groups.size === 0) return;
  const granting = Array.from(model.all(), ({ definition }) => definition).filter(
    ({ rights, attributes }) =>
      rights.some(({ group }) => groups.has(group)) ||
      attributes.some(({ read = [] }) => read.some((group) => groups.has(group))),
  );
  if (granting.length === 0) return;
  const named = granting.find(({ name }) => visibility.classes === null || visibility.classes.has(name));
  throw new ServiceError(718, {
    detail: `${named === undefined ? "A class" : `The class ${named.name}`} gives rights to a group that would go.`,
  });
}
