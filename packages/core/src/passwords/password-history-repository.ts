/** Port: hashes of passwords that were current once, for accounts of database users and custom ones. Who adds at once for one subject minds the order. */
export interface PasswordHistoryRepository {
  /** The latest of a subject (as of `FactorSubject`), latest first, at most `limit`. */
  latest(subject: string, limit: number): Promise<string[]>;

  /** Adds one, and keeps no more than the latest `keep`; 0: none. A text that is not storable: 307. */
  add(subject: string, secret: string, keep: number): Promise<void>;
}
