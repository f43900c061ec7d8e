import type { Digests } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { ClientHash } from "../../request/index.ts";
import { type AccountRepository, confusableKeyOf, loginNameOf, type ObjectId } from "../../storage/index.ts";
import { clientPassword, type PasswordHasher } from "./password-hasher.ts";

export interface CreateAccountInput {
  /** Id of an existing `User` object. */
  readonly userId: ObjectId;
  readonly loginName: string;
  /** Plain, or as clients send it. */
  readonly password: string;
  readonly administrator: boolean;
  readonly clientHash: ClientHash;
  readonly email?: string | null;
}

/** Gives a `User` object its credentials. A name that is taken, or looks like one that is: 307. */
export class CreateAccount {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
  ) {}

  async run(accounts: AccountRepository, input: CreateAccountInput): Promise<void> {
    const { userId, administrator, email = null } = input;
    const secret = await this.hasher.hash(clientPassword(input.password, input.clientHash, this.digests));
    const loginName = loginNameOf(input.loginName);
    const outcome = await accounts.create(
      { userId, loginName, secret, administrator, email },
      confusableKeyOf(loginName),
    );
    if (outcome === "nameTaken")
      throw new ServiceError(307, { detail: "The user name is taken or looks like another." });
  }
}
