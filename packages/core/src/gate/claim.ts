import type { Person } from "../accounts/person.ts";
import type { Channel } from "../channels/channel.ts";
import type { SessionMode } from "../sessions/session.ts";

/** Proves who it is: the account with its user object, or `null` if the proof fails. Takes the same time either way. */
export type Proof = () => Promise<Person | null>;

/** What somebody at the gate asks for, whichever way in was taken. */
export interface Claim {
  readonly mode: SessionMode;
  /** Names the user whose failures count; the same text for the same user in every way in. */
  readonly userKey: string;
  /** Reads what the proof needs; the proof itself is asked for only if no lockout forbids it. */
  readonly prepareProof: () => Promise<Proof>;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** What is to be opened with a secure session. */
  readonly channel?: Channel;
}
