import type { Database } from "../databases/database.ts";
import type { Digest, Digests } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import { Model } from "../model/model.ts";
import { batches } from "../objects/batches.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { OneTimeRepository } from "../one-time/one-time-repository.ts";
import type { Principal } from "../rights/principal.ts";
import { seesAll } from "../rights/visibility.ts";
import { confusableKeyOf, loginNameOf } from "./login-name.ts";

/** Longer than any database is in use. */
const lifetime = 100 * 365 * 86_400_000;
/** What is read of users to reserve their names in one transaction. */
const atOnce = { items: 200, bytes: 8 * 1024 * 1024 };

/** A user object and its name. */
export interface NamedUser {
  readonly id: ObjectId;
  readonly name: string;
}

/**
 * Reserves the names of users, so that no two user objects have names that look alike, with or without an account. A reservation is a
 * record of a user (its digest) that belongs to a name (its subject); a name has room for one. Calls belong in the transaction that
 * writes the user object.
 */
export class UserNames {
  constructor(
    private readonly oneTime: OneTimeRepository,
    private readonly digests: Digests,
  ) {}

  /** Reserves the name of a new user. 307 if it looks like the name of another one. */
  async reserve(user: NamedUser): Promise<void> {
    if (!(await this.tryToReserve(user)))
      throw new ServiceError(307, { detail: "at /Name: The name is taken, or looks like the name of another user." });
  }

  /** Frees the name that the user had, and reserves another one unless it is `null`. 307 if that looks like the name of another user. */
  async rename(id: ObjectId, name: string | null): Promise<void> {
    await this.release([id]);
    if (name !== null) await this.reserve({ id, name });
  }

  /** Frees the names of users that are deleted. */
  async release(ids: readonly ObjectId[]): Promise<void> {
    for (const id of ids) await this.oneTime.consume("userName", this.digestOf(id));
  }

  /** Reserves the present name of a user that may have none reserved, or another one; one that is reserved for another user stays with that. */
  async renew({ id, name }: NamedUser): Promise<void> {
    if ((await this.oneTime.read("userName", this.digestOf(id))) === this.subjectOf(name)) return;
    await this.release([id]);
    await this.tryToReserve({ id, name });
  }

  private async tryToReserve({ id, name }: NamedUser): Promise<boolean> {
    const subject = this.subjectOf(name);
    const outcome = await this.oneTime.issueWithin(
      { kind: "userName", digest: this.digestOf(id), subject, payload: subject, lifetime },
      { ofSubject: 1, inAll: 0 },
    );
    return outcome === "issued";
  }

  private digestOf(id: ObjectId): Digest {
    return this.digests.sha256(`user name of ${id}`);
  }

  private subjectOf(name: string): string {
    return `name:${this.digests.sha256(confusableKeyOf(loginNameOf(name)))}`;
  }
}

/**
 * Reserves the names of all user objects of a database that was filled by another version, or from an archive. Safe while servers work in it, and
 * repeatable. Of users whose names look alike already, the one with the lowest id gets the reservation; the others keep their names.
 */
export async function reserveUserNames({ storage, digests }: Pick<Database, "storage" | "digests">): Promise<void> {
  const { model: models, objects } = storage.repositories;
  const model = new Model(await models.load());
  const classes = [...model.all()].map(({ definition }) => definition.name).filter((name) => isUserClass(model, name));
  const users = await objects.match({ classes }, seesAll, Number.MAX_SAFE_INTEGER);
  for (const batch of batches(users, ({ bytes }) => bytes, atOnce)) {
    const ids = batch.map(({ id }) => id);
    await storage.transaction(async (r) => {
      // A user that is renamed or deleted meanwhile must not get its former name back.
      await r.objects.hold(ids);
      const found = new Map(
        (await r.objects.get(ids, seesAll, Number.MAX_SAFE_INTEGER)).map(({ id, attributes }) => [
          id,
          attributes["Name"],
        ]),
      );
      const names = new UserNames(r.oneTime, digests);
      for (const id of ids) {
        const name = found.get(id);
        if (typeof name === "string") await names.renew({ id, name });
      }
    });
  }
}

/** Attributes of `User` that decide what somebody may do, or as whom. */
const guarded: readonly string[] = ["Name", "Groups"];

/** Whether objects of the class are users. */
export function isUserClass(model: Model, className: string): boolean {
  return model.find("User")?.family.includes(className) ?? false;
}

/** 404 when somebody else than an administrator gives a user another name or other groups. */
export function guardUserAttributes({ administrator }: Principal, names: Iterable<string>): void {
  if (administrator) return;
  for (const name of names) {
    if (guarded.includes(name)) throw new ServiceError(404, { detail: `Only administrators write ${name} of a user.` });
  }
}
