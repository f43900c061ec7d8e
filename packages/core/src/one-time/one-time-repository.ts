import type { Digest } from "../digests/digests.ts";
import type { JsonValue } from "../objects/stored-object.ts";

/**
 * What a secret that opens something once is for: the state of a log-in at a provider, the code that an app trades for its outcome, the link of
 * an account to come, a new password; `cursorKey` is what cursors are sealed with where there is no master key, `userName` the reservation of a user's name.
 */
export type OneTimeKind = "providerState" | "returnCode" | "accountLink" | "passwordReset" | "cursorKey" | "userName";

/** What a secret stands for. */
export type OneTimePayload = Exclude<JsonValue, null>;

export interface OneTimeSecret {
  readonly kind: OneTimeKind;
  /** SHA-256 of the secret; the secret itself is never stored. */
  readonly digest: Digest;
  /** Whose it is, so that all of one can be revoked; `null`: nobody's. At most 200 characters. */
  readonly subject: string | null;
  /** What it stands for. */
  readonly payload: OneTimePayload;
  /** Milliseconds for which it is good. */
  readonly lifetime: number;
}

/** How many of a kind may be good at once; 0: as many as come. */
export interface OneTimeRoom {
  readonly ofSubject: number;
  /** Whosever they are. */
  readonly inAll: number;
}

/** What became of one that needs room; if there is none for its subject, and in all, it is the subject's. */
export type OneTimeIssue = "issued" | "subjectFull" | "full";

/** Port: secrets that are good once. Time is the storage's; one whose time is over is as good as absent in every call. */
export interface OneTimeRepository {
  /** Keeps it. A digest that is there already, of the same kind: 799. A text that is not storable: 307. */
  issue(secret: OneTimeSecret): Promise<void>;

  /**
   * The same, as long as there is room: nothing is kept if so many of its kind are good already. Exact among all that come this way, however many at
   * once in however many processes.
   */
  issueWithin(secret: OneTimeSecret & { readonly subject: string }, room: OneTimeRoom): Promise<OneTimeIssue>;

  /** What it stands for, without spending it; `null` if it is unknown, spent, revoked or over. */
  read(kind: OneTimeKind, digest: Digest): Promise<OneTimePayload | null>;

  /** Spends it: of all who try, in however many processes, one is given what it stands for, and the others `null`. */
  consume(kind: OneTimeKind, digest: Digest): Promise<OneTimePayload | null>;

  /** Revokes all of a kind that are a subject's; how many there were. */
  revoke(kind: OneTimeKind, subject: string): Promise<number>;

  /** Forgets at most `limit` whose time is over; how many it were. */
  sweep(limit: number): Promise<number>;
}
