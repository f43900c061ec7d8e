import type { Digest } from "../../digests/index.ts";
import type { Channel } from "../channel-repository.ts";
import type { IdentityLinkRecord } from "./identity-links.ts";
import type { ObjectId } from "./object-id.ts";

/** How the credential of a session travels. A credential of one mode is worthless in another. */
export type SessionMode = "session" | "token" | "secure";

/** A session to be opened. */
export interface NewSession {
  /** SHA-256 of the session id. */
  readonly digest: Digest;
  readonly mode: SessionMode;
  /** Id of the app key that opened it; the session is good with this key only. */
  readonly appKeyId: string;
  readonly userId: ObjectId;
  /**
   * Version of the account's secret when the session was opened. The session is admitted only while the account still
   * has it, so that a log-in which races with a change of the password does not outlive the change.
   */
  readonly secretVersion: number;
  readonly appNames: readonly string[];
  /** Sessions of the same user, app key and device are limited together, see `perDevice`; one without a device (`null`) is independent. */
  readonly deviceId: string | null;
  /** How its user came in. */
  readonly authenticationMethod: AuthenticationMethod;
  /** There in mode `secure`, and in no other. */
  readonly channel?: Channel;
}

/** A live session as admission finds it. */
export type Session = Omit<NewSession, "digest" | "secretVersion">;

/** How long sessions live and how many there may be. */
export interface SessionPolicy {
  /** Milliseconds without a request after which a session expires. */
  readonly idleTimeout: number;
  /** Milliseconds after the log-in at which a session expires in any case. */
  readonly absoluteLifetime: number;
  /** Live sessions in the database; 0 means any number. */
  readonly limit: number;
  /** Live sessions of one user; 0 means any number. */
  readonly perUserLimit: number;
  /** Live sessions of the same user, app key and device, at least 1. A further one is opened in the place of the least recently renewed. */
  readonly perDevice: number;
}

/** Milliseconds between extensions of the idle expiry, so that reads seldom write. Sessions may expire that early. */
export function touchInterval(idleTimeout: number): number {
  return Math.min(60_000, idleTimeout / 10);
}

/**
 * How somebody came in. A session keeps it, and is admitted only while it still holds: a session of a custom account while the account
 * is neither disabled nor removed and has this version of its secret, one of a link while the record with its `id` and `born` is there.
 */
export type AuthenticationMethod =
  /** With a database user's own credentials. */
  | { readonly kind: "password" }
  | { readonly kind: "custom"; readonly accountId: string; readonly secretVersion: number }
  /** With an account of a provider. A session keeps `id` and `born` of the link; the value is the present one of the record. */
  | { readonly kind: "provider"; readonly link: IdentityLinkRecord };

export const passwordAuthentication: AuthenticationMethod = Object.freeze({ kind: "password" });

/** A session as a log-in with a password opens it: for work that needs one, and that no client has logged in for. */
export function passwordSession(appKeyId: string, userId: ObjectId, appNames: readonly string[]): Session {
  return { mode: "session", appKeyId, userId, appNames, deviceId: null, authenticationMethod: passwordAuthentication };
}
