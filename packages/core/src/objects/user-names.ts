import {
  type AccountRepository,
  confusableKeyOf,
  type Digests,
  faultAt,
  loginNameOf,
  type ObjectId,
  type Principal,
  type RecordKind,
  type RecordRepository,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import { Model } from "../model/index.ts";
import type { Database } from "../request/index.ts";
import { batches } from "./batches.ts";
import { areOfDifferentScripts, scriptsOf, skeletonOf } from "./name-shape.ts";

/** Reserved user names, by the SHA-256 of the confusable key. The value is the id of the user object. */
export const reservedNames: RecordKind<ObjectId> = "userName";

/** The scripts of each user's name, by the id of the user object. The owner is the skeleton of the name. */
const nameScripts: RecordKind<string> = "userNameScripts";

/** Makes transactions that take names of one skeleton wait for each other. The id is the owner above. */
const skeletonLocks: RecordKind<true> = "userNameSkeleton";

/** Longer than any transaction. */
const lockLifetime = 3_600_000;

/** Names of one skeleton that are compared. They are of the same scripts, except those from before the rule. */
const comparedNames = 1_000;

/** Longer than any database is in use. Records with a lifetime are not archived; an import reserves the names again. */
const lifetime = 100 * 365 * 86_400_000;

/** Batch size of one transaction. */
const batchSize = { items: 200, bytes: 8 * 1024 * 1024 };

export interface NamedUser {
  readonly id: ObjectId;
  readonly name: string;
}

/**
 * Prevents user objects with confusable names, with or without accounts. Names are confusable if they differ by case, white
 * space and the like only, or if they look alike and are of different scripts. Runs in the transaction of the write.
 */
export class UserNames {
  constructor(
    private readonly records: RecordRepository,
    private readonly digests: Digests,
  ) {}

  /** Reserves the name of a new user. 307 if it looks like another user's name. */
  async reserve(user: NamedUser): Promise<void> {
    if (!(await this.tryToReserve(user)) || (await this.looksForeign(user)))
      throw new ServiceError(307, { detail: "at /Name: The name is in use, or too similar to one in use." });
    await this.noteScripts(user);
  }

  /** Releases the old name and reserves the new one, if not `null`. 307 if it looks like another user's name. */
  async rename(id: ObjectId, name: string | null): Promise<void> {
    await this.release([id]);
    if (name !== null) await this.reserve({ id, name });
  }

  async release(ids: readonly ObjectId[]): Promise<void> {
    for (const id of ids) await this.records.remove(reservedNames, { owner: ownerOf(id) });
    await this.records.remove(nameScripts, { ids });
  }

  /** Reserves the current name of a user. A name reserved for another user stays with that user. */
  async renew(user: NamedUser): Promise<void> {
    const [reserved] = await this.records.get(reservedNames, [this.keyOf(user.name)]);
    if (reserved?.value !== user.id) {
      await this.release([user.id]);
      await this.tryToReserve(user);
    }
    await this.noteScripts(user);
  }

  /** Whether another user's name has the same skeleton in other scripts. No other transaction takes such a name before this one ends. */
  private async looksForeign({ id, name }: NamedUser): Promise<boolean> {
    const owner = this.skeletonOwner(name);
    await this.records.put(skeletonLocks, owner, true, { lifetime: lockLifetime });
    const alike = await this.records.list(nameScripts, { owner, after: null, limit: comparedNames });
    return alike.some((other) => other.id !== id && areOfDifferentScripts(other.value, scriptsOf(name)));
  }

  private async noteScripts({ id, name }: NamedUser): Promise<void> {
    await this.records.put(nameScripts, id, scriptsOf(name), { owner: this.skeletonOwner(name), lifetime });
  }

  private skeletonOwner(name: string): string {
    return `skeleton:${this.digests.sha256(skeletonOf(name))}`;
  }

  private async tryToReserve({ id, name }: NamedUser): Promise<boolean> {
    const options = { owner: ownerOf(id), lifetime, ifVersion: "none" } as const;
    return (await this.records.put(reservedNames, this.keyOf(name), id, options)) === "stored";
  }

  private keyOf(name: string): string {
    return reservationOf(name, this.digests);
  }
}

/** The id of the reservation of a name. */
export function reservationOf(name: string, digests: Digests): string {
  return digests.sha256(confusableKeyOf(loginNameOf(name)));
}

function ownerOf(id: ObjectId): string {
  return `object:${id}`;
}

/**
 * Reserves the names of all user objects, after a migration or an import. Safe under load and repeatable. Of users with
 * confusable names, the lowest id gets the reservation; the others keep their names.
 */
export async function reserveUserNames({ storage, digests }: Pick<Database, "storage" | "digests">): Promise<void> {
  const { model: models, objects } = storage.repositories;
  const model = new Model(await models.load());
  const classes = [...model.all()].map(({ definition }) => definition.name).filter((name) => isUserClass(model, name));
  const users = await objects.match({ classes }, seesAll, Number.MAX_SAFE_INTEGER);
  for (const batch of batches(users, ({ bytes }) => bytes, batchSize)) {
    const ids = batch.map(({ id }) => id);
    await storage.transaction(async (r) => {
      // The lock keeps a concurrently renamed or deleted user from getting the old name back.
      await r.objects.lock(ids);
      const namesById = new Map(
        (await r.objects.get(ids, seesAll, Number.MAX_SAFE_INTEGER)).map(({ id, attributes }) => [
          id,
          attributes["Name"],
        ]),
      );
      const names = new UserNames(r.records, digests);
      for (const id of ids) {
        const name = namesById.get(id);
        if (typeof name === "string") await names.renew({ id, name });
      }
    });
  }
}

/** The attribute of `User` with its user groups. */
export const groupsAttribute = "Groups";

/** Attributes of `User` that determine rights or identity. */
const guarded: readonly string[] = ["Name", groupsAttribute];

/** Port: keeps an administrator who can log in. */
export interface UserGuard {
  /**
   * Calls `change`, which can take the access of users, in the transaction of `r`. Callers have locked the objects that it
   * changes. Throws `refusal` if an administrator could log in before, and none could afterwards.
   */
  keepAdministrator<T>(
    within: { readonly r: Repositories; readonly database: Database },
    loss: { readonly users: readonly ObjectId[]; readonly change: () => Promise<T>; readonly refusal: ServiceError },
  ): Promise<T>;
}

export function isUserClass(model: Model, className: string): boolean {
  return model.find("User")?.subtree.includes(className) ?? false;
}

/** 404 if a caller other than an administrator changes the name or the groups of a user. */
export function guardUserAttributes({ administrator }: Principal, names: Iterable<string>): void {
  if (administrator) return;
  for (const name of names) {
    if (guarded.includes(name))
      throw new ServiceError(404, { detail: `Only administrators can change ${name} of a user.` });
  }
}

const maxNameLength = 1_024;

export function isUserName(name: string): boolean {
  return name.trim() !== "" && name.length <= maxNameLength;
}

/** The stored form of a user name. 307 for a name unusable in a log-in. */
export function userName(name: string): string {
  if (!isUserName(name)) throw faultAt("/Name", `A name of 1 to ${maxNameLength} characters is expected.`);
  return loginNameOf(name);
}

/** Renames the account of a user, if any. 307 if the name is taken or looks like another one. */
export async function renameAccount(accounts: AccountRepository, userId: ObjectId, name: string): Promise<void> {
  const loginName = userName(name);
  await accounts.change(userId, { name: { loginName, confusableKey: confusableKeyOf(loginName) } });
}
