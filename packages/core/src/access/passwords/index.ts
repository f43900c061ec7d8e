export { AskForReset, type AskForResetInput } from "./ask-for-reset.ts";
export { ChangeOwnPassword, type ChangeOwnPasswordParts } from "./change-own-password.ts";
export { ChangePassword, type ChangePasswordInput, type ChangePasswordParts } from "./change-password.ts";
export { ConfirmReset, type ConfirmResetInput, type ConfirmResetParts } from "./confirm-reset.ts";
export { FormerPasswords, formerPasswordsKind } from "./former-passwords.ts";
export { OwnPasswordReset } from "./own-password-reset.ts";
export type { PasswordChange, PasswordChangeInput, PasswordChangeResult } from "./password-change.ts";
export {
  type BreachedPasswords,
  isPasswordText,
  PasswordPolicy,
  passwordSubject,
  shortestPassword,
} from "./password-policy.ts";
export { type PasswordReset, type PasswordResets, passwordResets, type ResettableAccount } from "./password-reset.ts";
export { PrepareResetMail } from "./prepare-reset-mail.ts";
export { PasswordNotice, ReplacePassword } from "./replace-password.ts";
