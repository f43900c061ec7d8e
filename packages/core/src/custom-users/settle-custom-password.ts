import type { Digest } from "../digests/digest.ts";
import type { ReplacePassword } from "../passwords/replace-password.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { CustomAccount } from "./custom-account.ts";

/** Whose history, resets and second factors those of a custom user are. */
export function customSubject(accountId: string): string {
  return `custom:${accountId}`;
}

/** Does what has to happen when a custom user has another password; belongs into the transaction that gives it to him. */
export class SettleCustomPassword {
  constructor(private readonly passwords: Pick<ReplacePassword, "former" | "retire">) {}

  /** Hashes of passwords that are not taken again. */
  former(r: Repositories, { id }: CustomAccount): Promise<string[]> {
    return this.passwords.former(r, customSubject(id));
  }

  /** `account`: as it was before. Ends all its sessions, but for one that is excepted. */
  async run(r: Repositories, account: CustomAccount, except?: Digest): Promise<void> {
    await this.keep(r, account);
    await r.sessions.end(
      except === undefined ? { customAccountId: account.id } : { customAccountId: account.id, except },
    );
  }

  /** The same, where sessions are ended by somebody else. */
  keep(r: Repositories, { id, secret }: CustomAccount): Promise<void> {
    return this.passwords.retire(r, customSubject(id), secret);
  }
}
