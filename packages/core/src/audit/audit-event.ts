import type { ErrorCode } from "../errors/error-code.ts";
import type { ObjectId } from "../objects/object-id.ts";

/** What is worth keeping for ever. The list grows with the ways in. */
export type AuditEventType = "login.accepted" | "login.refused" | "logout" | "logout.failed";

/** One line of the audit. Holds no secret: no password, no session id, no name that belongs to nobody. */
export interface AuditEvent {
  readonly type: AuditEventType;
  readonly requestId: string;
  /** The code that the client was given; `0` on success. */
  readonly outcome: ErrorCode | 0;
  /** Id of the app key of the request. */
  readonly appKeyId: string;
  /** The user, if the request could be traced to one. */
  readonly userId: ObjectId | null;
  /** Address of the client. */
  readonly address: string;
  readonly appNames: readonly string[];
}

/** An event as kept: `sequence` rises, `at` is by the storage's clock in milliseconds since 1970. */
export interface RecordedAuditEvent extends AuditEvent {
  readonly sequence: number;
  readonly at: number;
}
