export type { PasswordHistoryRepository } from "./password-history-repository.ts";
