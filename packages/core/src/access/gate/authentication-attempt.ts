import {
  type AccountSelector,
  type AuditEventType,
  type AuthenticatedAccount,
  type Channel,
  type Digest,
  type ErrorCode,
  type ObjectId,
  type ProviderType,
  type Repositories,
  ServiceError,
  type SessionMode,
  type SessionPolicy,
} from "@sallyport/storage";
import type { DeviceDescription } from "../rules/access-rules.ts";
import type { SecondFactorInput } from "../second-factors/check-second-factors.ts";
import type { FactorServices } from "../second-factors/factor-secrets.ts";
import type { LicenceMessages } from "../licences/licence-messages.ts";
import type { AppKeyContext, Uses } from "../../request/index.ts";

/** Verifies the credentials. Resolves to the account with its user object, or to `null`. Takes the same time either way. */
export type Proof = () => Promise<AuthenticatedAccount | null>;

/** A log-in attempt at the gate, from any authentication method. */
export interface AuthenticationAttempt {
  readonly mode: SessionMode;
  /**
   * Identifies the user whose failures are counted. Methods that accept the same credentials use the same key. The forms
   * stand in `user-keys.ts`.
   */
  readonly userKey: string;
  /** The account of the attempt, for the explanation of a refusal. It may not exist. */
  readonly account?: AccountSelector;
  /** The proof, or its preparation, which has begun. It runs only if no lockout applies. */
  readonly proof: Proof | Promise<Proof>;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** Description of the device by the client. */
  readonly device?: DeviceDescription;
  /** Counts the use of an encrypted message. Runs after the proof and before second factors. Throws if the message was used before. */
  readonly checkReplay?: () => Promise<void>;
  readonly channel?: Channel;
  /** A log-in to administration: takes no seats, is not reported to the licence server, and needs no registered device. */
  readonly administration?: true;
  /** The session on which the new one rests. Its log-in has shown the second factors. */
  readonly restsOn?: Digest;
  /** Replaces limits and lifetimes of the database's policy. */
  readonly policy?: Partial<SessionPolicy>;
  /** Second-factor input of the attempt. Optional. */
  readonly secondFactor?: SecondFactorInput;
  /** The identity provider of the log-in, for the audit. */
  readonly providerName?: ProviderType | null;
  /**
   * Runs last in the transaction that opens the session, and again when that is retried. A `ServiceError` rolls
   * everything back and is audited as the refusal. Skipped for a session that only serves to enrol a second factor.
   */
  readonly beforeCommit?: (r: Repositories, authenticated: AuthenticatedAccount) => Promise<void>;
  /**
   * Runs first in the transaction that opens the session, which may be retried. Consumes a one-time credential, and throws if it is
   * consumed; or replaces a former session by that with the digest.
   */
  readonly consume?: (r: Repositories, session: Digest) => Promise<void>;
}

/** An operation other than a log-in that is open to guessing. */
export interface GuardedAttempt<Proven extends NonNullable<unknown>, Result> {
  /** Identifies the user whose failures are counted, as in `AuthenticationAttempt`. */
  readonly userKey: string;
  /** The user's count of failures: of passwords (default), or of the tokens shown at log-ins. */
  readonly counter?: "user" | "factor";
  /** Error code and audit event of a failure or a lockout. */
  readonly refusal: { readonly code: CountedCode; readonly type: AuditEventType };
  /** The user of the session, for the audit. `null` if no user is authenticated. */
  readonly userId: ObjectId | null;
  /** Resolves to `null` on a failure, which is counted. Runs only if no lockout applies. Takes the same time either way. */
  readonly prove: () => Promise<Proven | null>;
  /** Consumes a one-time proof, first in the transaction of `act`. Concurrent requests with the same proof wait here, without other locks. */
  readonly consume?: (r: Repositories, proven: Proven) => Promise<void>;
  /** Runs after the proof, in the transaction that resets the failure count. May be retried. Its errors roll back, uncounted. */
  readonly act: (r: Repositories, proven: Proven) => Promise<Result>;
}

/** Refusals of a wrong guess. Only these count as failures. */
const countedCodes = [302, 326, 339, 342] as const satisfies readonly ErrorCode[];

export type CountedCode = (typeof countedCodes)[number];

export function isCounted(error: unknown): error is ServiceError & { readonly code: CountedCode } {
  return error instanceof ServiceError && countedCodes.some((code) => code === error.code);
}

/** Services of log-ins, as far as the gate needs them. */
export interface GateServices extends Pick<FactorServices, "factorProofs" | "random"> {
  readonly licenceMessages: LicenceMessages;
}

export interface GateContext extends AppKeyContext, Uses<GateServices> {}
