export { acceptAppNames } from "./app-names.ts";
export { channelOf } from "./channel-of.ts";
export { CredentialReader, type SessionReference } from "./credential-reader.ts";
export { type Entrance, passwordEntrance } from "./entrance.ts";
export { EnterWithPassword, type LogInInput, type PasswordEntry, type WantedSession } from "./enter-with-password.ts";
export { LogIn, type LogInResult } from "./log-in.ts";
export { LogOut } from "./log-out.ts";
export { type NewSession, type Session, type SessionMode, type SessionPolicy, touchInterval } from "./session.ts";
export type { SessionRepository, SessionSelector } from "./session-repository.ts";
