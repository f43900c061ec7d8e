import type { AuditEventType } from "../audit/audit-event.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { CountedCode } from "./counted-codes.ts";

/** Something that is no log-in, but could be guessed like one. */
export interface GuardedAttempt<Proven extends NonNullable<unknown>, Result> {
  /** Whose failures count, as of `Claim`. */
  readonly userKey: string;
  /** What a failure is answered and audited with, a lockout too. */
  readonly refusal: { readonly code: CountedCode; readonly type: AuditEventType };
  /** Who attempts it, for the audit: the user of the session, `null` if nobody is proven. */
  readonly userId: ObjectId | null;
  /** `null` is a failure, which is counted. Asked for only if no lockout forbids it; takes the same time either way. */
  readonly prove: () => Promise<Proven | null>;
  /** Spends what is good once, in the transaction of `act` and before anything else: those who show the same at once wait for one another there, holding nothing. */
  readonly spend?: (r: Repositories, proven: Proven) => Promise<void>;
  /**
   * What is done once it is proven, in one transaction with forgetting the failures; runs again when that does. Its errors undo it, and
   * are answered as they are, uncounted.
   */
  readonly act: (r: Repositories, proven: Proven) => Promise<Result>;
}
