import type { Digest } from "../digests/index.ts";
import type { ObjectId } from "./entities/object-id.ts";
import type { NewSession, SessionPolicy } from "./entities/session.ts";

/** Which sessions to end: one by its digest; all of a user, of a custom account or of the record of a link, but for one that is excepted. */
export type SessionSelector =
  | { readonly digest: Digest }
  | { readonly userId: ObjectId; readonly except?: Digest }
  | { readonly customAccountId: string; readonly except?: Digest }
  | { readonly linkId: string; readonly except?: Digest };

/**
 * Port: live sessions. Expiry is judged by the storage's clock, and a session whose time is over is as good as
 * absent in every call. A session is absent as soon as `end` was answered, in every process.
 */
export interface SessionRepository {
  /**
   * Opens a session, unless that would exceed a limit of the policy: then 315, and nothing changes.
   * Exact however many processes open at once. Sessions of the same user, app key and device, of any mode and entrance, make room
   * for the new one: as many of them end as it takes to keep `perDevice`, `perUserLimit` and `limit`, and no more. Those whose idle expiry
   * lies earliest end first, of equal ones the oldest. No other session ends, so it is 315 if the others alone fill a limit.
   * The channel of a secure session is opened with it, all or nothing, and ends with it; a channel without that mode, the mode without
   * a channel, or an `ivPrefix` that is not three bytes: 799 (`channelOf`). A text that is not storable: 307.
   */
  open(session: NewSession, policy: SessionPolicy): Promise<void>;

  /** Ends the live sessions selected; how many there were. */
  end(selector: SessionSelector): Promise<number>;

  /**
   * Lets a session go on whose user has replaced the secret that opened it: it is good with `secretVersion` of its custom account, or
   * of its account if it has no custom one. `false` if there is no live session with the digest.
   */
  renew(digest: Digest, secretVersion: number): Promise<boolean>;

  /** How many sessions are live. */
  count(): Promise<number>;

  /** Forgets at most `limit` sessions whose time is over; how many it were. */
  sweep(limit: number): Promise<number>;
}
