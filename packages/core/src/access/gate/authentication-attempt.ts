import { type ErrorCode, ServiceError } from "../../errors/index.ts";
import type {
  AuditEventType,
  Channel,
  ObjectId,
  Person,
  ProviderType,
  Repositories,
  SessionMode,
} from "../../storage/index.ts";
import type { ShownFactor } from "../second-factors/check-second-factors.ts";

/** Proves who it is: the account with its user object, or `null` if the proof fails. Takes the same time either way. */
export type Proof = () => Promise<Person | null>;

/** What somebody at the gate asks for, whichever way in was taken. */
export interface AuthenticationAttempt {
  readonly mode: SessionMode;
  /**
   * Names the user whose failures count; the same text for the same user in every way in that takes the same credentials: the login name
   * of a database user, `custom` and that of a custom account, `provider` with issuer and subject, with U+0000 between them.
   */
  readonly userKey: string;
  /** Reads what the proof needs; the proof itself is asked for only if no lockout forbids it. */
  readonly prepareProof: () => Promise<Proof>;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** Counts the use of an encrypted message. Called after the proof and before second factors; throws if the message was used before. */
  readonly claimMessage?: () => Promise<void>;
  readonly channel?: Channel;
  /** What it brings for second factors; nothing unless given. */
  readonly secondFactor?: ShownFactor;
  /** The provider that vouches for whoever it is; for the audit. */
  readonly providerName?: ProviderType | null;
  /**
   * What is done in the transaction that opens the session, once nothing else keeps the gate shut; runs again when that does. A
   * `ServiceError` of it keeps the gate shut, undoes everything, and is audited as the refusal. Whoever is let in only to set up a second
   * factor has it not done.
   */
  readonly alongside?: (r: Repositories, person: Person) => Promise<void>;
  /** Spends what it came with in the transaction that opens the session, which may run again. Throws if it is spent. */
  readonly spend?: (r: Repositories) => Promise<void>;
}

/** Something that is no log-in, but could be guessed like one. */
export interface GuardedAttempt<Proven extends NonNullable<unknown>, Result> {
  /** Whose failures count, as of `Claim`. */
  readonly userKey: string;
  /** What a failure is answered and audited with, a lockout too. */
  readonly refusal: { readonly code: CountedCode; readonly type: AuditEventType };
  /** Who attempts it, for the audit: the user of the session, `null` if no user is proven. */
  readonly userId: ObjectId | null;
  /** `null` is a failure, which is counted. Asked for only if no lockout forbids it; takes the same time either way. */
  readonly prove: () => Promise<Proven | null>;
  /** Spends a one-time proof, first in the transaction of `act`: requests with the same proof wait for one another there, holding nothing. */
  readonly spend?: (r: Repositories, proven: Proven) => Promise<void>;
  /** Done once proven, in one transaction with forgetting failures; may run again. Its errors undo it, uncounted. */
  readonly act: (r: Repositories, proven: Proven) => Promise<Result>;
}

/** Refusals that tell the client that a guess was wrong. Only they count as failures. */
const countedCodes = [302, 326, 339, 342] as const satisfies readonly ErrorCode[];

export type CountedCode = (typeof countedCodes)[number];

export function isCounted(error: unknown): error is ServiceError & { readonly code: CountedCode } {
  return error instanceof ServiceError && countedCodes.some((code) => code === error.code);
}
