export { acceptAppNames } from "./app-names.ts";
export {
  type Entrance,
  type NewSession,
  passwordEntrance,
  type Session,
  type SessionMode,
  type SessionPolicy,
  touchInterval,
} from "./session.ts";
export { isEnrolling } from "./is-enrolling.ts";
export { channelOf, CredentialReader, type SessionReference } from "./credential-reader.ts";
export { EnterWithPassword, type LogInInput, type PasswordEntry, type WantedSession } from "./enter-with-password.ts";
export { LogIn, type LogInResult } from "./log-in.ts";
export { LogOut } from "./log-out.ts";
export type { SessionRepository, SessionSelector } from "./session-repository.ts";
