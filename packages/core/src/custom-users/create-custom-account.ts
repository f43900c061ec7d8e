import type { AccountRepository } from "../accounts/account-repository.ts";
import { type ClientHash, clientPassword, type PasswordHasher } from "../accounts/password-hasher.ts";
import { confusableKeyOf, loginNameOf } from "../accounts/login-name.ts";
import type { Digests, RandomSource } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { ObjectId } from "../objects/object-id.ts";
import { randomUuid } from "../digests/random-uuid.ts";

export interface CreateCustomAccountInput {
  readonly loginName: string;
  /** Plain, or as clients send it. */
  readonly password: string;
  /** Id of the `User` object as which he works. */
  readonly userId: ObjectId;
  readonly email: string | null;
  readonly clientHash: ClientHash;
}

/** Gives somebody who is no database user a name and a password. A name that is taken, or looks like one that is: 307. */
export class CreateCustomAccount {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  /** The id of the account. */
  async run(
    accounts: AccountRepository,
    { password, clientHash, userId, email, ...given }: CreateCustomAccountInput,
  ): Promise<string> {
    const secret = await this.hasher.hash(clientPassword(password, clientHash, this.digests));
    const [id, loginName] = [randomUuid(this.random), loginNameOf(given.loginName)];
    const outcome = await accounts.create({ id, loginName, userId, email, secret }, confusableKeyOf(loginName));
    if (outcome === "nameTaken")
      throw new ServiceError(307, { detail: "The name of the custom user is taken or looks like another." });
    return id;
  }
}
