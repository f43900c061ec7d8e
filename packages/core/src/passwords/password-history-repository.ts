/** Port: hashes of passwords that were current once, for accounts of database users and custom ones. */
export interface PasswordHistoryRepository {
  /** The latest of a subject (as of `FactorSubject`), latest first, at most `limit`. */
  latest(subject: string, limit: number): Promise<string[]>;

  /** Adds one, and keeps no more than the latest `keep`. */
  add(subject: string, secret: string, keep: number): Promise<void>;
}
