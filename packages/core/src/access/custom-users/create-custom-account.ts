import { type Digests, type RandomSource, randomUuid } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { ClientHash } from "../../request/index.ts";
import { type AccountRepository, confusableKeyOf, loginNameOf, type ObjectId } from "../../storage/index.ts";
import { clientPassword, type PasswordHasher } from "../accounts/password-hasher.ts";

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
