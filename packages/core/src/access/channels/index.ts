export { BlockBudget, type BlockBudgetOptions } from "./block-budget.ts";
export * from "./channel-ciphers.ts";
export * from "./channel-secrets.ts";
export { KnownClientKeys } from "./known-client-keys.ts";
export * from "./log-in-messages.ts";
export * from "./outgoing-numbers.ts";
export * from "./password-messages.ts";
