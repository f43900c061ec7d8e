import type { ObjectData } from "@sallyport/contract";
import { TransportError } from "../errors/transport-error.ts";
import type { ClientSession, LogInMode } from "../sessions/client-session.ts";

/** Who has logged in, and where. */
export interface LogInResult {
  readonly mode: LogInMode;
  /** The user's own object. */
  readonly user: ObjectData;
  readonly databaseName: string;
}

/** A log-in that succeeded. */
export interface OpenedSession {
  readonly session: ClientSession;
  readonly result: LogInResult;
}

/** What the answers of all log-ins have in common. */
export interface LogInData {
  readonly user: ObjectData;
  readonly databaseName: string;
}

export function openedSession(session: ClientSession, { user, databaseName }: LogInData): OpenedSession {
  return { session, result: { mode: session.mode, user, databaseName } };
}

/** A credential out of an answer; an answer without it is not one of this service. */
export function credentialOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new TransportError("foreign-answer", { httpStatus: 200 });
  return value;
}
