import { type ErrorCode, ServiceError } from "../../errors/index.ts";
import type { AuditEventType, ObjectId, Repositories } from "../../storage/index.ts";

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

/** Refusals that tell somebody that a guess was wrong: they count as failures, and all others do not. */
const countedCodes = [302, 326, 339, 342] as const satisfies readonly ErrorCode[];

export type CountedCode = (typeof countedCodes)[number];

export function isCounted(error: unknown): error is ServiceError & { readonly code: CountedCode } {
  return error instanceof ServiceError && countedCodes.some((code) => code === error.code);
}
