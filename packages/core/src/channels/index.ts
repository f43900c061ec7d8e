export { ChannelSecrets } from "./channel-secrets.ts";
export { ChannelTraffic, type OpenChannel } from "./channel-traffic.ts";
export { type LogInMessageParts, LogInMessages, type OpenedLogIn } from "./log-in-messages.ts";
export { LogInSecurely, type SecureLogInResult } from "./log-in-securely.ts";
export { type PasswordMessageParts, PasswordMessages } from "./password-messages.ts";
export { OutgoingNumbers } from "./outgoing-numbers.ts";
export type { AnswerCipher } from "./answer-cipher.ts";
export type { Channel } from "./channel.ts";
export type { ChannelCipher } from "./channel-cipher.ts";
export {
  type BlockClaim,
  type BlockLimits,
  type BlockVerdict,
  type ChannelRepository,
  type MessageVerdict,
  messageWindow,
} from "./channel-repository.ts";
export type { ClientKey } from "./client-key.ts";
export type { ClientKeyParser } from "./client-key-parser.ts";
export type { CredentialsCipher, OpenedCredentials } from "./credentials-cipher.ts";
export type { HybridCipher, HybridMessage, OpenedMessage } from "./hybrid-cipher.ts";
export { assertMessageNumber, assertReservation, largestReservation } from "./message-number.ts";
export { type RsaPadding, rsaPaddings } from "./rsa-padding.ts";
