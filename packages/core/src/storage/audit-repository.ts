import type { ErrorCode } from "../errors/index.ts";
import type { ProviderType } from "./entities/identity-links.ts";
import type { ObjectId } from "./entities/object-id.ts";

/** Milliseconds in which attempts that are alike are counted together before they become one event. */
export const tallyTime = 300_000;

/** Port: the append-only record of who came in, who was refused and who left, and who changed the model, a macro or the readers of an object. */
export interface AuditRepository {
  append(event: AuditEvent): Promise<void>;

  /**
   * Counts an attempt that is one of many, instead of keeping an event of its own: those of one key (at most 200
   * characters) become one event when they are settled. None is lost, however many come at once.
   */
  tally(key: string, event: AuditEvent): Promise<void>;

  /** Makes an event of each tally begun at least `age` milliseconds ago, of `limit` at most; how many it were. */
  settle(age: number, limit: number): Promise<number>;

  /**
   * Events with a higher sequence than `after`, ascending, at most `limit`. The sequence is that of the writing, not of
   * the keeping: an event whose transaction takes its time turns up late, between events that could be read before.
   * Who must miss nothing reads again what is younger than a transaction can get.
   */
  read(after: number, limit: number): Promise<RecordedAuditEvent[]>;

  /** Of the `limit` events with the lowest sequence, forgets those that happened at least `age` milliseconds ago; how many it were. */
  sweep(age: number, limit: number): Promise<number>;
}

/** What is worth keeping: who comes in and how, and who changes what all objects are or what the service does. */
export type AuditEventType =
  | "login.accepted"
  | "login.refused"
  | "logout"
  | "logout.failed"
  | "credentials.replayed"
  | "class.created"
  | "class.changed"
  | "class.removed"
  | "object.readers"
  | "macro.stored"
  | "macro.removed"
  | "macro.refused"
  | "password.changed"
  | "password.refused"
  | "password.reset.asked"
  | "password.reset"
  | "password.reset.refused"
  | "customPassword.asked"
  | "customPassword.changed"
  | "customPassword.refused"
  | "customPassword.reset"
  | "link.created"
  | "link.removed"
  | "link.refused"
  | "provider.refused"
  | "provider.stored"
  | "provider.removed"
  | "secondFactor.enrolled"
  | "secondFactor.confirmed"
  | "secondFactor.removed"
  | "secondFactor.refused"
  | "customUser.stored"
  | "customUser.removed"
  | "customUser.disabled"
  | "customUser.enabled"
  | "account.created"
  | "account.changed"
  | "account.disabled"
  | "account.enabled"
  | "app.created"
  | "app.factorOff"
  | "app.factorOptional"
  | "app.factorForced"
  | "appKey.created"
  | "appKey.disabled"
  | "appKey.enabled"
  | "maintenance.begun"
  | "maintenance.ended"
  | "rsaKey.rotated"
  | "jwtKey.rotated";

/** One line of the audit. Holds no secret: no password, no session id, no name that belongs to nobody. */
export interface AuditEvent {
  readonly type: AuditEventType;
  readonly requestId: string;
  /** The code that the client was given; `0` on success. */
  readonly outcome: ErrorCode | 0;
  /** Id of the app key of the request, or of the one that a command has created, disabled or enabled; empty for other commands. */
  readonly appKeyId: string;
  /** The user who acted; `null` if no user was proven, and for commands of the server. */
  readonly actorId: ObjectId | null;
  /** The user who was acted on: whose session, password, factor, link or account it is; `null` if the event is not about a user. */
  readonly subjectId: ObjectId | null;
  /** Address of the client. */
  readonly address: string;
  /** Those of the request, or the one that a command was about. */
  readonly appNames: readonly string[];
  /** The class that was created, changed or removed, or whose object has got other readers; `null` in all other events. */
  readonly className: string | null;
  /** The macro that was stored or removed; `null` in all other events. */
  readonly macroName: string | null;
  /** The provider through which somebody came in or was linked, or that was registered or removed; `null` in all other events. */
  readonly providerName: ProviderType | null;
}

/** An event as kept. Times are by the storage's clock, milliseconds since 1970. */
export interface RecordedAuditEvent extends AuditEvent {
  /** Rises, and is never given again. */
  readonly sequence: number;
  /** When it happened; of a tally, when its last attempt did. */
  readonly at: number;
  /** 1, or how many attempts a tally counted. Everything else of a tally is as its first attempt had it. */
  readonly attempts: number;
  /** When the first of these attempts happened. */
  readonly since: number;
}
