import type { Digest, Digests } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { Model } from "../../model/index.ts";
import type { Database } from "../../request/index.ts";
import {
  type AttributeDefinition,
  type DeleteRule,
  deleteRuleOf,
  type DeletionRepository,
  type LockedRow,
  mostWrittenBytes,
  type ObjectId,
  type ObjectOutline,
  type Principal,
  type Referrer,
  type Repositories,
  type StoredObject,
  type Visibility,
} from "../../storage/index.ts";
import { isUserClass, UserNames } from "../user-names.ts";

/** Objects that go or change with one that is deleted, itself among them; and links that are followed from one of its steps. */
export const maximum = 10_000;

interface Deletion extends Knowledge {
  readonly repository: Pick<DeletionRepository, "lock" | "referrers">;
  readonly model: Model;
  /** Locks of other sessions refuse. */
  readonly session: Digest;
  /** References to recycled objects are kept, so that nothing is lost by them. */
  readonly recycled: boolean;
}

export interface DeletionSet {
  /** The object itself and those that go with it, held. */
  readonly objects: readonly ObjectOutline[];
  /** What the others lose, held as well. */
  readonly linksToClear: readonly Referrer[];
  /** Why they may not go, be it a rule or a lock of another session: 718. Whether the caller is told depends on what he may do with them. */
  readonly refusal: ServiceError | null;
}

interface LockedObjects {
  readonly objects: Map<ObjectId, ObjectOutline>;
  refusal: ServiceError | null;
}

/**
 * Finds out what an object that is held takes along, step by step: who points to it, who points to those that go with it, and so
 * on. What they have in common is that each was held before it was last asked what it points to. 718 when there are too many, or they are too large.
 */
export async function deletionSetOf(first: LockedRow, deletion: Deletion): Promise<DeletionSet> {
  const going = new Map<ObjectId, ObjectOutline>();
  const held: LockedObjects = { objects: new Map(), refusal: null };
  const others: Referrer[] = [];
  accept([first], held, deletion);
  for (let step: readonly ObjectId[] = [first.object.id]; step.length > 0; ) {
    for (const id of step) going.set(id, held.objects.get(id) as ObjectOutline);
    const links = await linksTo(step, held, deletion);
    others.push(...links.filter((link) => ruleOf(link, deletion) !== "cascade"));
    const next = links.filter((link) => ruleOf(link, deletion) === "cascade").map(({ id }) => id);
    step = [...new Set(next)].filter((id) => !going.has(id));
  }
  const linksToClear = others.filter(({ id }) => !going.has(id));
  const refusing = linksToClear.find((link) => ruleOf(link, deletion) === "refuse");
  if (refusing !== undefined) held.refusal ??= refused(neededBy(refusing, deletion));
  return { objects: [...going.values()], linksToClear, refusal: held.refusal };
}

/** The links to these objects that matter, read again until all their sources were held before; those that refuse need not be. */
async function linksTo(ids: readonly ObjectId[], held: LockedObjects, deletion: Deletion): Promise<Referrer[]> {
  const { repository, model, recycled } = deletion;
  const attributes = recycled ? strictLinks(model) : null;
  for (;;) {
    const links = await repository.referrers(ids, { attributes, limit: maximum + 1 });
    if (links.length > maximum) throw tooMany();
    const sources = links.filter((link) => ruleOf(link, deletion) !== "refuse").map(({ id }) => id);
    const missing = [...new Set(sources)].filter((id) => !held.objects.has(id));
    if (missing.length === 0) return links;
    accept(await repository.lock(missing), held, deletion);
  }
}

function accept(objects: readonly LockedRow[], held: LockedObjects, { session }: Deletion): void {
  for (const { object, lockedBy } of objects) {
    if (lockedBy !== null && lockedBy !== session)
      held.refusal ??= refused("Another session has locked it, or an object that goes or changes with it.");
    held.objects.set(object.id, object);
  }
  if (held.objects.size > maximum) throw tooMany();
  // Also for the sake of those who return: they are read together.
  const bytes = [...held.objects.values()].reduce((sum, object) => sum + object.bytes, 0);
  if (bytes > mostWrittenBytes)
    throw refused(
      `What goes or changes with it takes more than ${mostWrittenBytes} bytes: delete it, or let it point elsewhere, in parts before.`,
    );
}

/** What the model no longer knows is cleared. */
export function ruleOf({ className, attribute }: Referrer, { model }: Pick<Deletion, "model">): DeleteRule {
  const definition = model.find(className)?.attributes.get(attribute);
  return definition === undefined ? "clear" : deleteRuleOf(definition);
}

/** The attributes that mean more than that a value is lost. */
function strictLinks(model: Model): Pick<Referrer, "className" | "attribute">[] {
  return linksWhere(model, (link) => deleteRuleOf(link) !== "clear");
}

export function linksWhere(
  model: Model,
  isMeant: (link: AttributeDefinition) => boolean,
): Pick<Referrer, "className" | "attribute">[] {
  return [...model.all()].flatMap(({ definition: { name: className }, links }) =>
    links.filter(isMeant).map(({ name }) => ({ className, attribute: name })),
  );
}

function tooMany(): ServiceError {
  return refused(
    `More than ${maximum} objects or references go or change with it: delete them, or let them point elsewhere, in parts before.`,
  );
}

/** 718 with the reason. */
export function refused(detail: string): ServiceError {
  return new ServiceError(718, { detail });
}

interface Removal {
  readonly model: Model;
  readonly principal: Principal;
  readonly database: Pick<Database, "digests" | "policy">;
  readonly recycled: boolean;
  /** The one that takes the others along. */
  readonly root: ObjectId;
}

/** Lets objects go that are held, and takes what the others lose. 718 when the caller would have too many in the recycle bin. */
export async function deleteAll(
  r: Repositories,
  { objects: going, linksToClear }: Pick<DeletionSet, "objects" | "linksToClear">,
  { model, principal, database: { digests, policy }, recycled, root }: Removal,
): Promise<void> {
  await removeUsers(r, going, { model, principal, digests });
  if (linksToClear.length > 0) await r.deletion.clear(linksToClear);
  const quota = policy.objects.recycleBinPerUser;
  const outcome = await r.deletion.delete(
    going.map(({ id }) => id),
    { recycled, root, deletedBy: principal.userId, quota },
  );
  if (outcome === "full")
    throw new ServiceError(718, {
      detail: `A user can have ${quota} objects in the recycle bin: purge others first, or delete it for good.`,
    });
}

/** Removes accounts, sessions and names of users that go; 718 for the caller's own, and for the last administrator. */
async function removeUsers(
  { accounts, sessions, records }: Pick<Repositories, "accounts" | "sessions" | "records">,
  going: readonly Pick<StoredObject, "id" | "className">[],
  { model, principal, digests }: { readonly model: Model; readonly principal: Principal; readonly digests: Digests },
): Promise<void> {
  const users = going.filter(({ className }) => isUserClass(model, className)).map(({ id }) => id);
  if (users.length === 0) return;
  if (users.includes(principal.userId)) throw new ServiceError(718, { detail: "Nobody deletes himself." });
  if ((await accounts.remove(users)) === "lastAdministrator")
    throw new ServiceError(718, { detail: "The last administrator cannot be deleted." });
  for (const userId of users) await sessions.end({ userId });
  await new UserNames(records, digests).release(users);
}

export interface Knowledge {
  /** The model without the attributes that the caller may not read. */
  readonly known: Model;
  readonly visibility: Visibility;
}

/** Whether an error may name an attribute: others than administrators know it by their read rights on it and on its class, and none that is gone. */
export function isKnown(
  { className, attribute }: Pick<Referrer, "className" | "attribute">,
  { known, visibility: { classes, principals } }: Knowledge,
): boolean {
  if (principals === null) return true;
  return classes?.has(className) !== false && known.find(className)?.attributes.has(attribute) === true;
}

/** Says that an object is needed, and as what, if the caller may know. */
export function neededBy(referrer: Referrer, knowledge: Knowledge): string {
  return isKnown(referrer, knowledge)
    ? `An object of the class ${referrer.className} needs it as ${referrer.attribute}.`
    : "Another object needs it.";
}
