export {
  type AnswerCipher,
  type ChannelCipher,
  type ClientKey,
  type ClientKeyParser,
  type CredentialsCipher,
  type HybridCipher,
  type HybridMessage,
  type OpenedCredentials,
  type OpenedMessage,
  type RsaPadding,
  rsaPaddings,
} from "./channel-ciphers.ts";
export { ChannelSecrets } from "./channel-secrets.ts";
export { ChannelTraffic, type OpenChannel } from "./channel-traffic.ts";
export { type LogInMessageParts, LogInMessages, type OpenedLogIn } from "./log-in-messages.ts";
export { LogInSecurely, type SecureLogInResult } from "./log-in-securely.ts";
export { assertMessageNumber, assertReservation, largestReservation, OutgoingNumbers } from "./outgoing-numbers.ts";
export { type PasswordMessageParts, PasswordMessages } from "./password-messages.ts";
