export { acceptAppNames } from "./app-names.ts";
export { channelOf, CredentialReader, type SessionReference } from "./credential-reader.ts";
export { EnterWithPassword, type LogInInput, type PasswordEntry, type WantedSession } from "./enter-with-password.ts";
export { isEnrolling } from "./is-enrolling.ts";
export { LogIn, type LogInResult } from "./log-in.ts";
export { LogOut } from "./log-out.ts";
