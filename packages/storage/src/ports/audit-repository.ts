import type { ErrorCode } from "../errors/index.ts";
import type { ProviderType } from "../entities/identity-links.ts";
import type { ObjectId } from "../entities/object-id.ts";
import type { JsonValue } from "../entities/stored-object.ts";

/** Milliseconds during which similar attempts are counted together before they become one event. */
export const tallyTime = 300_000;

/** Port: the append-only audit log of log-ins, refusals, log-outs, and changes to the model, macros, accounts, keys and object readers. */
export interface AuditRepository {
  /**
   * Stores an event. With the key of a tally (at most 200 characters), counts a frequent attempt instead: all attempts
   * with the same key become one event in `settle`. Concurrent attempts are never lost.
   */
  append(event: AuditEvent, tally?: string): Promise<void>;

  /** Converts at most `limit` tallies begun at least `age` milliseconds ago into events. Returns their number. */
  settle(age: number, limit: number): Promise<number>;

  /**
   * Returns at most `limit` events with a sequence above `after`, in ascending order. Storage assigns the sequence at
   * the write, not at the commit. An event of a slow transaction can therefore appear between events already read. For
   * a complete read, repeat the range younger than the longest transaction.
   */
  read(after: number, limit: number): Promise<RecordedAuditEvent[]>;

  /** Of the `limit` events with the lowest sequence, deletes events at least `age` milliseconds old. Returns their number. */
  sweep(age: number, limit: number): Promise<number>;
}

/**
 * Audited actions: authentication, changes to accounts, keys, the model, macros and the configuration of the service, and
 * the removal of unused files by a command.
 */
export type AuditEventType =
  | "login.accepted"
  | "login.refused"
  | "logout.completed"
  | "logout.failed"
  | "credentials.replayed"
  | "class.created"
  | "class.changed"
  | "class.removed"
  | "objectReaders.changed"
  | "objectLock.takenOver"
  | "macro.stored"
  | "macro.removed"
  | "macro.refused"
  | "password.changed"
  | "password.refused"
  | "password.reset.requested"
  | "password.reset.completed"
  | "password.reset.refused"
  | "customPassword.change.requested"
  | "customPassword.changed"
  | "customPassword.refused"
  | "customPassword.reset.completed"
  | "link.created"
  | "link.removed"
  | "link.refused"
  | "provider.refused"
  | "provider.stored"
  | "provider.removed"
  | "seats.reserved"
  | "seats.released"
  | "seats.refused"
  | "secondFactor.enrolled"
  | "secondFactor.confirmed"
  | "secondFactor.removed"
  | "secondFactor.refused"
  | "customUser.created"
  | "customUser.changed"
  | "customUser.removed"
  | "customUser.disabled"
  | "customUser.enabled"
  | "account.created"
  | "account.changed"
  | "account.disabled"
  | "account.enabled"
  | "account.promoted"
  | "account.demoted"
  | "proof.given"
  | "proof.refused"
  | "group.created"
  | "group.changed"
  | "sessions.ended"
  | "app.created"
  | "appSeats.changed"
  | "appSecondFactor.disabled"
  | "appSecondFactor.allowed"
  | "appSecondFactor.required"
  | "appRule.allowed"
  | "appRule.forbidden"
  | "appRule.removed"
  | "ban.added"
  | "ban.begun"
  | "ban.removed"
  | "device.registered"
  | "device.forgotten"
  | "consoleTicket.issued"
  | "consoleTicket.refused"
  | "setUpTicket.issued"
  | "setUpTicket.refused"
  | "appKey.created"
  | "appKey.disabled"
  | "appKey.enabled"
  | "files.collected"
  | "maintenance.started"
  | "maintenance.ended"
  | "limits.changed"
  | "database.recovered"
  | "database.accepted"
  | "database.moved"
  | "syncSchema.stored"
  | "syncSchema.removed"
  | "sync.enabled"
  | "sync.disabled"
  | "sync.restarted"
  | "requests.refused"
  | "rsaKey.rotated"
  | "jwtKey.rotated"
  | "secrets.resealed";

/** A value that an event has replaced. */
export interface AuditedChange {
  /** A property of the changed thing, such as `seats` or `rights.read`. */
  readonly name: string;
  /** `null` without a value, such as before a creation. */
  readonly before: JsonValue;
  /** `null` without a value, such as after a removal. */
  readonly after: JsonValue;
}

/** One audit event. Contains no secret: no password, no session id, no login name without an account. */
export interface AuditEvent {
  readonly type: AuditEventType;
  readonly requestId: string;
  /** The error code returned to the client; `0` on success. */
  readonly outcome: ErrorCode | 0;
  /** Id of the app key of the request, or of the key that a command created, enabled or disabled. Empty for other commands. */
  readonly appKeyId: string;
  /** The acting user; `null` without an authenticated user, and for server commands. */
  readonly actorId: ObjectId | null;
  /** The user affected: owner of the session, password, second factor, link or account; `null` if the event affects no user. */
  readonly subjectId: ObjectId | null;
  /** Client address. */
  readonly address: string;
  /** App names of the request, or the app name that a command affects. */
  readonly appNames: readonly string[];
  /** The class created, changed or removed, or the class of an object whose readers changed; `null` in other events. */
  readonly className: string | null;
  /** The macro stored, removed or refused; `null` in other events. */
  readonly macroName: string | null;
  /** The provider used for a log-in or a link, registered or removed; `null` in other events. */
  readonly providerName: ProviderType | null;
  /** The replaced values of a change to the model, accounts, groups or the configuration; empty in other events. */
  readonly changes: readonly AuditedChange[];
}

/** A stored event. Times are milliseconds since 1970 by the storage's clock. */
export interface RecordedAuditEvent extends AuditEvent {
  /** Ascending. Never reused. */
  readonly sequence: number;
  /** Time of the event; for a tally, time of its last attempt. */
  readonly at: number;
  /** Number of attempts in a tally; 1 for a single event. A tally has the other fields of its first attempt. */
  readonly attempts: number;
  /** Time of the first attempt. */
  readonly since: number;
}
