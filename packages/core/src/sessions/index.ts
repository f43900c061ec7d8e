export { acceptAppNames } from "./app-names.ts";
export { channelOf } from "./channel-of.ts";
export { LogIn, type LogInInput, type LogInResult } from "./log-in.ts";
export { LogOut } from "./log-out.ts";
export { type NewSession, type Session, type SessionMode, type SessionPolicy, touchInterval } from "./session.ts";
export type { SessionRepository, SessionSelector } from "./session-repository.ts";
