import type { Digest } from "../digests/index.ts";
import type { ObjectId } from "../entities/object-id.ts";
import type { AppNameChange, NewSession, SeatLimit, Session, SessionPolicy } from "../entities/session.ts";
import type { PageRequest } from "./pages.ts";

/** Selects sessions: one by digest, or all of a user, custom account or link record, optionally except one. */
export type SessionsOf =
  | { readonly digest: Digest }
  | { readonly userId: ObjectId; readonly except?: Digest }
  | { readonly customAccountId: string; readonly except?: Digest }
  | { readonly linkId: string; readonly except?: Digest };

/** Selects the sessions that match every given member. */
export interface SessionMatch {
  readonly userId?: ObjectId;
  readonly deviceId?: string;
  /** An app name of the log-in, or a reserved one. */
  readonly appName?: string;
}

export interface SessionListing {
  /**
   * Whether `open` and `changeAppNames` with a `basis` wait for the end of this transaction. They wait from before the
   * read: either the list contains a session, or its opening sees what this transaction has committed. For use inside a
   * transaction.
   */
  readonly holdsOpenings?: boolean;
}

/** A live session as listed. Times are milliseconds since 1970 by the storage's clock. */
export interface LiveSession
  extends Pick<Session, "mode" | "appKeyId" | "userId" | "appNames" | "reservedNames" | "enrolling" | "deviceId"> {
  readonly digest: Digest;
  readonly method: "password" | "custom" | "provider";
  /** Of a custom user; else `null`. */
  readonly customAccountId: string | null;
  /** Address of the client at the log-in; `null` if the session was opened without one. */
  readonly address: string | null;
  /** The sealed key of the channel of a secure session; else `null`. */
  readonly wrappedKey: string | null;
  readonly openedAt: number;
  /** The session expires then, unless it is used. */
  readonly expiresAt: number;
  /** The absolute expiry. */
  readonly endsAt: number;
}

/**
 * Port: live sessions. Every call ignores sessions that have expired by the storage's clock. Once `end` returns, the
 * session is gone in every process.
 */
export interface SessionRepository {
  /**
   * Opens a session. Without any change, throws 318 if a record of the `basis` has another version now, else 306 if a
   * limited app name has no free seat, else 315 if another limit would be exceeded. Exact across concurrent processes. The sessions that end have no seats, and sessions that share a
   * seat take one.
   *
   * To stay within `perDevice`, `perUserLimit` and `limit`, it ends the fewest possible sessions of the same user, app
   * key and device, of any mode and authentication method: the earliest idle expiry first, then the oldest. It ends no
   * other session, so 315 follows if the others alone fill a limit. The channel of a secure session is opened
   * atomically and ends with it. 799 (`channelOf`) if channel and mode do not match, or if `ivPrefix` is not three
   * bytes. 307 for a text that is not storable.
   */
  open(session: NewSession, policy: SessionPolicy): Promise<void>;

  /**
   * Reserves or releases app names of a live session, all or none. Reserved names take seats as those of the log-in do,
   * and a name that the session has stays as it is. Without any change, throws 318 if a record of the `basis` has another
   * version now, else 306 if a name has no free seat. A released
   * name leaves the reserved names and the app names of the session. `ended` if there is no live session, `notHeld` if it
   * lacks a name to release. 307 for a text that is not storable.
   */
  changeAppNames(digest: Digest, change: AppNameChange): Promise<"changed" | "ended" | "notHeld">;

  /** Ends the selected live sessions, or those of the digests. Returns their number. */
  end(selector: SessionsOf | { readonly digests: readonly Digest[] }): Promise<number>;

  /**
   * Keeps a session valid after its user has changed the secret. Sets `secretVersion` of its custom account, or of its
   * account if it has no custom account. `false` if there is no live session.
   */
  renew(digest: Digest, secretVersion: number): Promise<boolean>;

  /** At most `limit` live sessions after a digest, or from the first (`null`), by digest; of the selected ones if given. */
  list(
    page: PageRequest<Digest>,
    selector?: SessionsOf | { readonly matching: SessionMatch },
    listing?: SessionListing,
  ): Promise<LiveSession[]>;

  /**
   * Number of live sessions, or of the taken seats of an app name. `bound`: the upper bound that openings compare with the
   * limit before they count, in storages that keep one. A bound below the number would let openings exceed the limit.
   */
  count(seats?: Pick<SeatLimit, "name" | "kind">, which?: "number" | "bound"): Promise<number>;

  /** Deletes expired sessions, then locks of ended ones: at most `limit` together. Returns their number. */
  sweep(limit: number): Promise<number>;
}
