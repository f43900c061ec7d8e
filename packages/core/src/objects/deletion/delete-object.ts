import {
  type Digest,
  explained,
  type LockedRow,
  type ObjectId,
  type Principal,
  refusedAs,
  type Repositories,
  ServiceError,
  type SingleReference,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { mayOnClass, type Model, visibilityOf } from "../../model/index.ts";
import { inTransaction, withCurrentModel } from "../../request/index.ts";
import { visibleObject } from "../get-object.ts";
import type { ActiveHooks, ObjectContext } from "../hooks/active-hooks.ts";
import { DeletionHooks, hooksOfDeletions } from "../hooks/deletion-hooks.ts";
import { hookFailure } from "../hooks/hook-caller.ts";
import type { ReadScope } from "../serialization/serialization-source.ts";
import { isUserClass, type UserGuard } from "../user-names.ts";
import { deleteAll, type DeletionSet, deletionSetOf } from "./deletion-cascade.ts";
import { withoutRight } from "../object-findings.ts";

export interface DeleteObjectInput {
  readonly recycled: boolean;
  /** Accepted versions of the object; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/**
 * Deletes an object and applies the delete rules of its referrers, in one transaction. 304: the object never existed or
 * is invisible. 609: it is already deleted. 404: no right to delete, or a user object without an administrator. 713:
 * another version. 718: a delete rule, a lock of another session, class rights of a group, the last administrator, a full
 * recycle bin, or the storage refuses the deletion.
 */
export function deleteObject(
  context: ObjectContext,
  reference: SingleReference,
  { recycled, expectedVersions }: DeleteObjectInput,
): Promise<void> {
  const { r, unit, principal, database, sessionDigest: session } = context;
  return withCurrentModel(context, async (model) => {
    const visibility = visibilityOf(principal, model);
    const { id, className } = await visibleObject(r, reference, visibility, 609);
    const modelClass = model.find(className);
    if (modelClass === undefined) throw new ServiceError(304);
    if (!mayOnClass(principal, modelClass, "delete")) throw withoutRight("delete", modelClass);
    requireRightsOnUsers([{ className }], { model, principal });
    const active = await hooksOfDeletions(context);
    const readScope = { model, visibility };
    if (active !== null)
      return refusedAs(
        718,
        deleteWithHooks(active, context, id, {
          readScope,
          visibleModel: model.as(principal),
          guard: context.services.userGuard,
          recycled,
          expectedVersions,
        }),
      );
    const deleting = unit.transaction(async (inside) => {
      const locked = await lockFirst(inside, id, { model, expectedVersions });
      const cascade = await acceptDeletion(inside, locked, { ...readScope, principal, session, recycled });
      await deleteAll(inside, cascade, {
        model,
        principal,
        database,
        guard: context.services.userGuard,
        recycled,
        root: id,
      });
    });
    return refusedAs(718, deleting);
  });
}

interface HookedDeletion {
  readonly readScope: ReadScope;
  /** The model for hooks, limited to the caller's rights. */
  readonly visibleModel: Model;
  readonly guard: UserGuard;
  readonly recycled: boolean;
  readonly expectedVersions: readonly number[] | null;
}

/** Maximum number of times that hooks may extend the deletion set. */
const maxRounds = 8;

/** Deletes an object and runs its hooks in one transaction. Objects added by hooks are also passed to hooks before their deletion. */
function deleteWithHooks(
  active: ActiveHooks,
  context: ObjectContext,
  id: ObjectId,
  { readScope, visibleModel, guard, recycled, expectedVersions }: HookedDeletion,
): Promise<void> {
  const { principal, sessionDigest: session, database } = context;
  const { model } = readScope;
  return active.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { r } = inside;
      const hooks = new DeletionHooks(active, { ...readScope, model: visibleModel });
      let locked = await lockFirst(r, id, { model, expectedVersions });
      for (let round = 1; ; round += 1) {
        const cascade = await acceptDeletion(r, locked, { ...readScope, principal, session, recycled });
        if (!(await hooks.before(inside, cascade.objects))) {
          await deleteAll(r, cascade, { model, principal, database, guard, recycled, root: id });
          return hooks.after(inside, cascade.objects);
        }
        if (round > maxRounds) throw hookFailure("of a deletion", "keeps adding objects to the deletion.");
        const [now] = await r.deletion.lock([id], { modelGeneration: model.generation });
        // A hook has already deleted it.
        if (now === undefined) return undefined;
        locked = now;
      }
    }),
  );
}

interface DeletionBy extends ReadScope {
  readonly principal: Principal;
  readonly session: Digest;
  readonly recycled: boolean;
}

/** The deletion set of an object. 404: it contains users and the caller is not an administrator. 718: any other refusal. */
async function acceptDeletion(
  { deletion: repository }: Pick<Repositories, "deletion">,
  locked: LockedRow,
  { model, visibility, principal, session, recycled }: DeletionBy,
): Promise<Pick<DeletionSet, "objects" | "linksToClear">> {
  const { objects, linksToClear, refusal } = await deletionSetOf(locked, {
    repository,
    model,
    visibleModel: model.as(principal),
    visibility,
    session,
    recycled,
  });
  requireRightsOnUsers(objects, { model, principal });
  if (refusal !== null) throw refusal;
  refuseGroupsWithRights(objects, { model, visibility });
  return { objects, linksToClear };
}

/** 404 if a caller other than an administrator deletes users. Class rights do not suffice: they would allow the removal of administrators. */
export function requireRightsOnUsers(
  objects: readonly Pick<StoredObject, "className">[],
  { model, principal }: { readonly model: Model; readonly principal: Principal },
): void {
  if (!principal.administrator && objects.some(({ className }) => isUserClass(model, className)))
    throw explained(new ServiceError(404), {
      asked: "Is the user, who deletes a user, an administrator?",
      found: "No.",
    });
}

/** Locks the object to delete. 609: deleted since. 713: not an expected version. */
async function lockFirst(
  { deletion: repository }: Pick<Repositories, "deletion">,
  id: ObjectId,
  { model, expectedVersions }: { readonly model: Model; readonly expectedVersions: readonly number[] | null },
): Promise<LockedRow> {
  const [locked] = await repository.lock([id], { modelGeneration: model.generation });
  if (locked === undefined) throw new ServiceError(609);
  if (expectedVersions !== null && !expectedVersions.includes(locked.object.version))
    throw new ServiceError(713, { detail: "The object has another version." });
  return locked;
}

/**
 * 718 if a class or attribute right names a deleted group. Requires a locked model, so that no right can be granted to
 * the group. The message does not name a class that the caller cannot read.
 */
function refuseGroupsWithRights(
  objects: readonly Pick<StoredObject, "id" | "className">[],
  { model, visibility }: { readonly model: Model; readonly visibility: Visibility },
): void {
  const groups = new Set(
    objects.filter(({ className }) => model.find("UserGroup")?.subtree.includes(className)).map(({ id }) => id),
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
    detail: `${named === undefined ? "A class" : `The class ${named.name}`} grants rights to a group that would be deleted.`,
  });
}
