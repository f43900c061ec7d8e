export * from "./channel-ciphers.ts";
export * from "./channel-secrets.ts";
export * from "./log-in-messages.ts";
export * from "./outgoing-numbers.ts";
export * from "./password-messages.ts";
