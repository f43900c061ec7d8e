/** A client application's right to speak to a database. The key itself is known to the client only. */
export interface AppKey {
  /** Short, opaque, unique in the database; the storage gives it. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** The app names that a log-in with this key may use; `null` means all. */
  readonly appNames: readonly string[] | null;
  /** Web origins that may use the key from a browser, as browsers spell them (`https://app.example`). */
  readonly origins: readonly string[];
}
