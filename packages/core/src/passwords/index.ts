export type { BreachedPasswords } from "./breached-passwords.ts";
export type { PasswordHistoryRepository } from "./password-history-repository.ts";
export { PasswordPolicy, shortestPassword } from "./password-policy.ts";
export { passwordSubject } from "./password-subject.ts";
export { isPasswordText } from "./password-text.ts";
