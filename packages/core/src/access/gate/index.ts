export type {
  AuthenticationAttempt,
  CountedCode,
  GateServices,
  GuardedAttempt,
  Proof,
} from "./authentication-attempt.ts";
export * from "./gate.ts";
export { consoleSessionKey, consoleTicketKey, providerUserKey, sessionUserKey } from "./user-keys.ts";
