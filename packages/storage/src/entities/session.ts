import type { Digest } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { Channel } from "../ports/channel-repository.ts";
import type { IdentityLinkRecord } from "./identity-links.ts";
import type { ObjectId } from "./object-id.ts";

/** Transport of the session credential. A credential is valid in its own mode only. */
export type SessionMode = "session" | "token" | "secure";

/** A session to open. */
export interface NewSession {
  /** SHA-256 of the session id. */
  readonly digest: Digest;
  readonly mode: SessionMode;
  /** Id of the app key that opened the session. The session is valid with this key only. */
  readonly appKeyId: string;
  readonly userId: ObjectId;
  /**
   * Version of the account's secret at the log-in. Admission rejects the session once the account has another version.
   * A log-in concurrent with a password change therefore does not survive the change.
   */
  readonly secretVersion: number;
  /** None for a session that can only set up second factors. */
  readonly appNames: readonly string[];
  /** `perDevice` limits the sessions of the same user, app key and device. Sessions without a device (`null`) are not limited by it. */
  readonly deviceId: string | null;
  readonly authenticationMethod: AuthenticationMethod;
  /** Address of the client at the log-in. For lists only. */
  readonly address?: string;
  /** Present exactly in mode `secure`. */
  readonly channel?: Channel;
}

/** A live session as returned by admission. */
export interface Session extends Omit<NewSession, "digest" | "secretVersion" | "address"> {
  /** App names that the session has reserved. They take seats and give no rights. */
  readonly reservedNames: readonly string[];
  /** Whether the session was opened without app names. */
  readonly enrolling: boolean;
}

/**
 * The holder of a seat of an app name. `concurrent`: the sessions of one user on one device together. `user`: all sessions
 * of one user. `device`: all sessions on one device. With `concurrent` and `device`, a session without a device takes a
 * seat of its own.
 */
export type SeatKind = "concurrent" | "user" | "device";

/** The seats of an app name. */
export interface SeatLimit {
  readonly name: string;
  readonly seats: number;
  readonly kind: SeatKind;
}

/** A change of the app names of a session: names to reserve, with the limits of the limited ones, or names to release. */
export type AppNameChange =
  | {
      readonly reserve: readonly string[];
      readonly limits: readonly SeatLimit[];
      /** As in `SessionPolicy`. */
      readonly basis?: readonly ExpectedRecord[];
    }
  | { readonly release: readonly string[] };

/** Lifetimes and limits of sessions. */
export interface SessionPolicy {
  /** Milliseconds without a request until a session expires. */
  readonly idleTimeout: number;
  /** Milliseconds after the log-in until a session expires. */
  readonly absoluteLifetime: number;
  /** Maximum live sessions in the database; 0: unlimited. */
  readonly limit: number;
  /** Maximum live sessions of one user; 0: unlimited. */
  readonly perUserLimit: number;
  /** Maximum live sessions of the same user, app key and device, at least 1. A further log-in replaces the least recently renewed session. */
  readonly perDevice: number;
  /** The seats of the limited app names of the session. */
  readonly seats?: readonly SeatLimit[];
  /** The records that decided about the session. It does not open if one has changed since it was read. */
  readonly basis?: readonly ExpectedRecord[];
}

/** A record as it was read. `version` is 0 if there was none. */
export interface ExpectedRecord {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
}

/**
 * Milliseconds after which a request extends the idle expiry again. Most requests therefore need no write. Sessions may
 * expire this much earlier than the idle timeout after their last request.
 */
export function touchInterval(idleTimeout: number): number {
  return Math.min(180_000, idleTimeout / 10);
}

/**
 * The authentication method, stored with the session. Admission checks it on every request. A custom account must
 * exist, be enabled and have this secret version. A linked identity needs a record with the same `id` and `createdVersion`.
 */
export type AuthenticationMethod =
  /** The own credentials of a database user. */
  | { readonly kind: "password" }
  | { readonly kind: "custom"; readonly accountId: string; readonly secretVersion: number }
  /** An account of a provider. The session stores `id` and `createdVersion` of the link; `value` is the current one of the record. */
  | { readonly kind: "provider"; readonly link: IdentityLinkRecord };

export const passwordAuthentication: AuthenticationMethod = Object.freeze({ kind: "password" });

/** A session equal to one of a password log-in, for internal work without a client. */
export function passwordSession(appKeyId: string, userId: ObjectId, appNames: readonly string[]): Session {
  return {
    mode: "session",
    appKeyId,
    userId,
    appNames,
    reservedNames: [],
    enrolling: false,
    deviceId: null,
    authenticationMethod: passwordAuthentication,
  };
}

const prefixLength = 3;

/** Returns the channel of a session, or `null` for a session that is not secure. Throws 799 if mode and channel do not match. */
export function channelOf({ mode, channel }: Pick<NewSession, "mode" | "channel">): Channel | null {
  if (
    (mode === "secure") !== (channel !== undefined) ||
    (channel !== undefined && channel.ivPrefix.length !== prefixLength)
  ) {
    throw new ServiceError(799, { detail: "The mode of the session does not match its channel." });
  }
  return channel ?? null;
}
