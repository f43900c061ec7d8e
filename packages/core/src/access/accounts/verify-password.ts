import type { Digests } from "../../digests/index.ts";
import type { ClientHash } from "../../request/index.ts";
import {
  type Account,
  type AccountRepository,
  loginNameOf,
  passwordAuthentication,
  type Person,
} from "../../storage/index.ts";

/** Port: slow password hashing. Work is queued; a full queue answers 706. */
export interface PasswordHasher {
  /** The encoded hash of a password, with its parameters and a fresh salt. */
  hash(password: string): Promise<string>;

  /**
   * Whether the password belongs to the encoded hash. `null` stands for a user that does not exist: the answer is
   * `false` and costs as much time as the decoy would, or without one as a hash made now.
   */
  verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean>;

  /** Whether the hash was made with other parameters than a hash made now. */
  isOutdated(encoded: string): boolean;
}

const md5Digits = /^[0-9a-fA-F]{32}$/;

/** The text that is hashed and compared. Under `md5` a plain password becomes what clients send. */
export function clientPassword(pass: string, clientHash: ClientHash, digests: Digests): string {
  if (clientHash === "none") return pass;
  return md5Digits.test(pass) ? pass.toLowerCase() : digests.md5(pass);
}

export interface GivenPassword {
  readonly pass: string;
  readonly clientHash: ClientHash;
}

/** Whose password it is said to be, and which links of the user object are to be read with it. */
export interface GivenCredentials extends GivenPassword {
  readonly user: string;
  readonly links: readonly string[];
}

/** Proves that a name and a password belong together. Unknown and disabled users cost and answer the same as a wrong password. */
export class VerifyPassword {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
  ) {}

  /** Looks the account up; what comes back checks the password and gives the account with its user object, or `null`. */
  async prepare(
    accounts: AccountRepository,
    { user: name, pass, clientHash, links }: GivenCredentials,
  ): Promise<() => Promise<Person | null>> {
    const { account, user, linked, decoy } = await accounts.find(
      { realm: "database", loginName: loginNameOf(name) },
      links,
    );
    return async () => {
      const password = clientPassword(pass, clientHash, this.digests);
      const proven = await this.hasher.verify(account?.secret ?? null, password, decoy);
      return proven && account !== null && user !== null && !account.disabled
        ? { account, user, linked, authenticationMethod: passwordAuthentication }
        : null;
    };
  }

  /** Brings the hash of a proven password to today's parameters, if it has others. */
  async renew(
    accounts: AccountRepository,
    { id, secret }: Account,
    { pass, clientHash }: GivenPassword,
  ): Promise<void> {
    if (!this.hasher.isOutdated(secret)) return;
    try {
      await accounts.rehash(id, secret, await this.hasher.hash(clientPassword(pass, clientHash, this.digests)));
    } catch {
      // The log-in does not depend on it, and the next one tries again.
    }
  }
}
