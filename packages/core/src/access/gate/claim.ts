import type { Channel, Person, ProviderType, Repositories, SessionMode } from "../../storage/index.ts";
import type { ShownFactor } from "../second-factors/check-second-factors.ts";

/** Proves who it is: the account with its user object, or `null` if the proof fails. Takes the same time either way. */
export type Proof = () => Promise<Person | null>;

/** What somebody at the gate asks for, whichever way in was taken. */
export interface Claim {
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
  /** What is to be opened with a secure session. */
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
  /**
   * Spends what it came with, in the transaction that opens the session, an enrolling one included; runs again when that does.
   * Throws, and keeps the gate shut, if it is spent already.
   */
  readonly spend?: (r: Repositories) => Promise<void>;
}
