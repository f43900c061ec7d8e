import type { RecordKind, RecordRepository } from "../../storage/index.ts";

/** Hashes of passwords that were current once, the latest first, by the subject whose they were. */
export const formerPasswordsKind: RecordKind<readonly string[]> = "passwordHistory";

/** The former passwords of accounts of database users and custom ones; subjects are those of second factors. */
export class FormerPasswords {
  constructor(private readonly records: RecordRepository) {}

  /** The latest hashes of a subject, latest first, at most `limit`. */
  async latest(subject: string, limit: number): Promise<readonly string[]> {
    return (await this.records.get(formerPasswordsKind, [subject]))[0]?.value.slice(0, limit) ?? [];
  }

  /**
   * Adds one, and keeps no more than the latest `keep`; 0: none. Belongs into the transaction that has changed the secret of the account: no other one can
   * add a password for it meanwhile. A text that is not storable: 307.
   */
  async add(subject: string, secret: string, keep: number): Promise<void> {
    if (keep === 0) await this.records.remove(formerPasswordsKind, { ids: [subject] });
    else {
      const former = await this.latest(subject, keep - 1);
      await this.records.put(formerPasswordsKind, subject, [secret, ...former], { owner: subject });
    }
  }
}
