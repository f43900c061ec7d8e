import {
  type AttributeDefinition,
  type DeleteRule,
  deleteRuleOf,
  type DeletionRepository,
  type Digest,
  type LockedRow,
  maxWrittenBytes,
  type ObjectId,
  type ObjectOutline,
  type Principal,
  type Referrer,
  type Repositories,
  ServiceError,
  type StoredObject,
  untilDone,
  type Visibility,
} from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import type { Database } from "../../request/index.ts";
import { groupsAttribute, isUserClass, type UserGuard, UserNames } from "../user-names.ts";

/** Limit for the objects deleted or changed by one deletion, and for the links followed in one step. */
export const maximum = 10_000;

interface Deletion extends CallerKnowledge {
  readonly repository: Pick<DeletionRepository, "lock" | "referrers">;
  readonly model: Model;
  /** Locks of other sessions refuse the deletion. */
  readonly session: Digest;
  /** Recycling keeps references to the object, so `clear` links need no change. */
  readonly recycled: boolean;
}

export interface DeletionSet {
  /** The object and all objects deleted with it, locked. */
  readonly objects: readonly ObjectOutline[];
  /** Links of remaining objects to clear. The objects are locked. */
  readonly linksToClear: readonly Referrer[];
  /** 718 for a delete rule or a lock of another session. Check the rights of the caller on the objects before throwing it. */
  readonly refusal: ServiceError | null;
}

interface LockedObjects {
  readonly objects: Map<ObjectId, ObjectOutline>;
  refusal: ServiceError | null;
}

/**
 * Collects the deletion set of a locked object step by step: its referrers, their referrers, and so on. Each object is
 * locked before its links are read for the last time. 718 if the set is too large.
 */
export async function deletionSetOf(first: LockedRow, deletion: Deletion): Promise<DeletionSet> {
  const collected = new Map<ObjectId, ObjectOutline>();
  const locked: LockedObjects = { objects: new Map(), refusal: null };
  const others: Referrer[] = [];
  accept([first], locked, deletion);
  for (let step: readonly ObjectId[] = [first.object.id]; step.length > 0; ) {
    for (const id of step) collected.set(id, locked.objects.get(id) as ObjectOutline);
    const links = await linksTo(step, locked, deletion);
    others.push(...links.filter((link) => ruleOf(link, deletion) !== "cascade"));
    const next = links.filter((link) => ruleOf(link, deletion) === "cascade").map(({ id }) => id);
    step = [...new Set(next)].filter((id) => !collected.has(id));
  }
  const linksToClear = others.filter(({ id }) => !collected.has(id));
  const refusing = linksToClear.find((link) => ruleOf(link, deletion) === "refuse");
  if (refusing !== undefined) locked.refusal ??= refused(referrerDetail(refusing, deletion));
  return { objects: [...collected.values()], linksToClear, refusal: locked.refusal };
}

/** The relevant links to these objects. Reads them again until all sources are locked. Sources with the rule `refuse` need no lock. */
async function linksTo(ids: readonly ObjectId[], locked: LockedObjects, deletion: Deletion): Promise<Referrer[]> {
  const { repository, model, recycled } = deletion;
  const attributes = recycled ? strictLinks(model) : null;
  return untilDone(async () => {
    const links = await repository.referrers(ids, { attributes, limit: maximum + 1 });
    if (links.length > maximum) throw tooMany();
    const sources = links.filter((link) => ruleOf(link, deletion) !== "refuse").map(({ id }) => id);
    const missing = [...new Set(sources)].filter((id) => !locked.objects.has(id));
    if (missing.length === 0) return links;
    accept(await repository.lock(missing), locked, deletion);
    return undefined;
  });
}

function accept(objects: readonly LockedRow[], locked: LockedObjects, { session }: Deletion): void {
  for (const { object, lockedBy } of objects) {
    if (lockedBy !== null && lockedBy !== session)
      locked.refusal ??= refused(
        "Another session has locked the object, or an object that its deletion deletes or changes.",
      );
    locked.objects.set(object.id, object);
  }
  if (locked.objects.size > maximum) throw tooMany();
  // The limit also covers a restoration, which reads the whole group at once.
  const bytes = [...locked.objects.values()].reduce((sum, object) => sum + object.bytes, 0);
  if (bytes > maxWrittenBytes)
    throw refused(
      `The deletion would delete or change objects of more than ${maxWrittenBytes} bytes. Delete or change some of them first.`,
    );
}

/** A link unknown to the model is cleared. */
export function ruleOf({ className, attribute }: Referrer, { model }: Pick<Deletion, "model">): DeleteRule {
  const definition = model.find(className)?.attributes.get(attribute);
  return definition === undefined ? "clear" : deleteRuleOf(definition);
}

/** Links whose delete rule is not `clear`. */
function strictLinks(model: Model): Pick<Referrer, "className" | "attribute">[] {
  return linksWhere(model, (link) => deleteRuleOf(link) !== "clear");
}

export function linksWhere(
  model: Model,
  matches: (link: AttributeDefinition) => boolean,
): Pick<Referrer, "className" | "attribute">[] {
  return [...model.all()].flatMap(({ definition: { name: className }, links }) =>
    links.filter(matches).map(({ name }) => ({ className, attribute: name })),
  );
}

function tooMany(): ServiceError {
  return refused(
    `The deletion would delete or change more than ${maximum} objects or references. Delete or change some of them first.`,
  );
}

export function refused(detail: string): ServiceError {
  return new ServiceError(718, { detail });
}

interface Removal {
  readonly model: Model;
  readonly principal: Principal;
  readonly database: Database;
  readonly guard: UserGuard;
  readonly recycled: boolean;
  /** The object whose deletion includes the others. */
  readonly root: ObjectId;
}

/** Deletes locked objects and clears the remaining links to them. 718 if the recycle bin of the caller is full. */
export async function deleteAll(
  r: Repositories,
  { objects: deleted, linksToClear }: Pick<DeletionSet, "objects" | "linksToClear">,
  { model, principal, database, guard, recycled, root }: Removal,
): Promise<void> {
  const { policy } = database;
  await removeUsers(r, deleted, { model, principal, database, guard });
  await clearLinks(r, linksToClear, { model, database, guard });
  const quota = policy.objects.recycleBinPerUser;
  const outcome = await r.deletion.delete(
    deleted.map(({ id }) => id),
    { recycled, root, deletedBy: principal.userId, quota },
  );
  if (outcome === "full")
    throw new ServiceError(718, {
      detail: `A user can have ${quota} objects in the recycle bin. Purge other objects first, or delete this one permanently.`,
    });
}

/** Clears links of locked objects. 718 if no administrator could log in without a group that users lose. */
export async function clearLinks(
  r: Repositories,
  links: readonly Referrer[],
  { model, database, guard }: Pick<Removal, "model" | "database" | "guard">,
): Promise<void> {
  if (links.length === 0) return;
  const change = () => r.deletion.clear(links);
  const users = links
    .filter(({ className, attribute }) => attribute === groupsAttribute && isUserClass(model, className))
    .map(({ id }) => id);
  if (users.length === 0) return change();
  const refusal = refused("The last administrator can log in as a member of this group only.");
  return guard.keepAdministrator({ r, database }, { users, change, refusal });
}

/** Removes the accounts, sessions and names of deleted users. 718 for the caller's own user and for the last administrator. */
async function removeUsers(
  r: Repositories,
  objects: readonly Pick<StoredObject, "id" | "className">[],
  { model, principal, database, guard }: Pick<Removal, "model" | "principal" | "database" | "guard">,
): Promise<void> {
  const users = objects.filter(({ className }) => isUserClass(model, className)).map(({ id }) => id);
  if (users.length === 0) return;
  if (users.includes(principal.userId)) throw new ServiceError(718, { detail: "Users cannot delete themselves." });
  const { accounts, sessions, records } = r;
  const refusal = refused("The last administrator cannot be deleted.");
  const change = () => accounts.remove(users);
  if ((await guard.keepAdministrator({ r, database }, { users, change, refusal })) === "lastAdministrator")
    throw refusal;
  for (const userId of users) await sessions.end({ userId });
  await new UserNames(records, database.digests).release(users);
}

export interface CallerKnowledge {
  /** The model limited to the attributes that the caller may read. */
  readonly visibleModel: Model;
  readonly visibility: Visibility;
}

/** Whether an error may name an attribute. Administrators see all names; others need read rights on the class and the attribute. */
export function mayRevealAttribute(
  { className, attribute }: Pick<Referrer, "className" | "attribute">,
  { visibleModel, visibility: { classes, principals } }: CallerKnowledge,
): boolean {
  if (principals === null) return true;
  return classes?.has(className) !== false && visibleModel.find(className)?.attributes.has(attribute) === true;
}

/** Message that another object needs the object; names class and attribute if the caller may know them. */
export function referrerDetail(referrer: Referrer, knowledge: CallerKnowledge): string {
  return mayRevealAttribute(referrer, knowledge)
    ? `An object of the class ${referrer.className} requires this one in ${referrer.attribute}.`
    : "Another object requires this one.";
}
