import { type Digests, type RandomSource, randomUuid } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { acceptMailAddress } from "../../mail/index.ts";
import { isUserName } from "../../objects/index.ts";
import type { AdministrationContext, ClientHash } from "../../request/index.ts";
import { type AccountRepository, confusableKeyOf, loginNameOf, type ObjectId } from "../../storage/index.ts";
import { clientPassword, type PasswordHasher } from "../accounts/verify-password.ts";
import type { PasswordPolicy } from "../passwords/password-policy.ts";
import { requireMappedUser } from "./change-custom-user.ts";

export interface CreateCustomAccountInput {
  readonly loginName: string;
  /** Plain, or as clients send it. */
  readonly password: string;
  /** Id of the `User` object as which he works. */
  readonly userId: ObjectId;
  readonly email: string | null;
  readonly clientHash: ClientHash;
}

/** Creates a custom user with a name and a password. A name that is taken, or looks like one that is: 307. */
export class CreateCustomAccount {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

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

export interface AddCustomUserInput {
  readonly name: string;
  /** Plain, or as clients send it. */
  readonly password: string;
  /** Log-in name of the database user as whom the custom user works. */
  readonly user: string;
  readonly email: string | null;
}

export class AddCustomUser {
  /** @param shortest characters of a custom user's password at least */
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly createAccount: CreateCustomAccount,
    private readonly shortest: number,
  ) {}

  /** The account's id. No such user: 304; a refused password: 320; a name taken or looking so, or no address: 307. */
  async addCustomUser(
    { database, r: outside, unit, eventOf }: AdministrationContext,
    { name, password, user, ...given }: AddCustomUserInput,
  ): Promise<string> {
    if (!isUserName(name))
      throw new ServiceError(307, { detail: "The custom user needs a name of at most 1024 characters." });
    const email = given.email === null ? null : acceptMailAddress(given.email);
    const { clientHash } = database.policy;
    const userId = await requireMappedUser(outside, user);
    this.policy.accept({ pass: password, clientHash }, this.shortest);
    // Hashing inside of a transaction keeps the connection busy; custom users are added too seldom for that to matter.
    return unit.transaction(async (r) => {
      const account = { loginName: name, password, userId, email, clientHash };
      const id = await this.createAccount.run(r.accounts, account);
      await r.audit.append(eventOf({ type: "customUser.stored", subjectId: userId }));
      return id;
    });
  }
}
