import type { ObjectId, Repositories } from "@sallyport/storage";
import { createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { LogInEndpoint } from "./log-in-endpoint.ts";

/** A user for one log-in endpoint, known to no other test. */
export interface TestUser {
  readonly user: string;
  readonly pass: string;
  /** The database user of the session. */
  readonly userId: ObjectId;
  /** The owner of the second factor. */
  readonly subject: string;
  /** Disables the user at this endpoint, and enables it again. */
  setDisabled(disabled: boolean): Promise<unknown>;
}

const digests = new NodeDigests();
let created = 0;

export async function createTestUser({ of }: LogInEndpoint, { accounts, objects }: Repositories): Promise<TestUser> {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const user = `somebody ${(created += 1)}`;
  const pass = `${user} has a password`;
  const [object] = await objects.insert([{ className: "User", attributes: { Name: user } }]);
  const userId = object?.id ?? "";
  const creating = { database: { digests: digests }, services: { hasher, random: new NodeRandomSource() } };
  const account = { realm: "database", userId, loginName: user, password: pass, clientHash: "md5" } as const;
  await createAccount(
    creating,
    accounts,
    of === "database user" ? account : { ...account, password: "another password" },
  );
  if (of === "database user")
    return {
      user,
      pass,
      userId,
      subject: `user:${userId}`,
      setDisabled: (disabled) => accounts.change(userId, { disabled }),
    };
  const id = await createAccount(creating, accounts, {
    ...account,
    realm: "custom",
  });
  return {
    user,
    pass,
    userId,
    subject: `custom:${id}`,
    setDisabled: (disabled) => accounts.change(id, { disabled }),
  };
}
