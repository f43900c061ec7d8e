import { clientPassword } from "../accounts/client-password.ts";
import { loginNameOf } from "../accounts/login-name.ts";
import type { PasswordHasher } from "../accounts/password-hasher.ts";
import type { Digests } from "../digests/digests.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { CustomAccount } from "./custom-account.ts";
import { mappedPerson } from "./mapped-person.ts";
import type { CustomCredentials, ProveCustomUser, ProvenCustomUser } from "./prove-custom-user.ts";

/** Knows custom users by their own passwords. Unknown and disabled ones cost and answer the same as a wrong password. */
export class VerifyCustomPassword implements ProveCustomUser {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
  ) {}

  async prepare(
    context: AppKeyContext,
    { user, pass, links }: CustomCredentials,
  ): Promise<() => Promise<ProvenCustomUser | null>> {
    const { r, database } = context;
    const { account, decoy } = await r.customAccounts.forProof(loginNameOf(user));
    return async () => {
      const password = clientPassword(pass, database.policy.clientHash, this.digests);
      const proven = await this.hasher.verify(account?.secret ?? null, password, decoy);
      if (!proven || account === null) return null;
      const person = await mappedPerson(r.accounts, account, links);
      return person && { person, afterwards: (later) => this.renew(later, account, password) };
    };
  }

  /** Brings the hash of a proven password to today's parameters, if it has others. */
  private async renew({ r }: AppKeyContext, { id, secret }: CustomAccount, password: string): Promise<void> {
    if (this.hasher.isOutdated(secret)) await r.customAccounts.rehash(id, secret, await this.hasher.hash(password));
  }
}
