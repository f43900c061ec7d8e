import type { Digests } from "../../digests/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import { type Account, type AccountRepository, loginNameOf, type Person } from "../../storage/index.ts";
import { clientPassword, type PasswordHasher } from "../accounts/verify-password.ts";

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
    const { account, decoy } = await r.accounts.find({ realm: "custom", loginName: loginNameOf(user) }, []);
    return async () => {
      const password = clientPassword(pass, database.policy.clientHash, this.digests);
      const proven = await this.hasher.verify(account?.secret ?? null, password, decoy);
      if (!proven || account === null) return null;
      const person = await mappedPerson(r.accounts, account, links);
      return person && { person, afterwards: (later) => this.renew(later, account, password) };
    };
  }

  /** Brings the hash of a proven password to today's parameters, if it has others. */
  private async renew({ r }: AppKeyContext, { id, secret }: Account, password: string): Promise<void> {
    if (this.hasher.isOutdated(secret)) await r.accounts.rehash(id, secret, await this.hasher.hash(password));
  }
}

/** What somebody says who wants to come in as a custom user. */
export interface CustomCredentials {
  readonly user: string;
  /** Plain, or as clients send it. */
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly links: readonly string[];
}

export interface ProvenCustomUser {
  readonly person: Person;
  /** What can wait until the log-in is done: its failure is nobody's business. */
  readonly afterwards: (context: AppKeyContext) => Promise<void>;
}

/** Who knows custom users: it looks somebody up, and what comes back proves who it is, or gives `null`. */
export interface ProveCustomUser {
  prepare(context: AppKeyContext, credentials: CustomCredentials): Promise<() => Promise<ProvenCustomUser | null>>;
}

/** As whom a custom user works; `null` if that is nobody: when his account or that of the database user is disabled or gone. */
export async function mappedPerson(
  accounts: AccountRepository,
  custom: Account,
  links: readonly string[],
): Promise<Person | null> {
  if (custom.disabled) return null;
  const { account, user, linked } = await accounts.find({ id: custom.userId }, links);
  if (account === null || account.disabled || user === null) return null;
  return {
    account,
    user,
    linked,
    authenticationMethod: { kind: "custom", accountId: custom.id, secretVersion: custom.secretVersion },
  };
}
