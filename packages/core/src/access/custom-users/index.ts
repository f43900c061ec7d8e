export { AskAuthenticator, KeepAuthenticatedUser } from "./ask-authenticator.ts";
export { ChangeCustomPassword, type ChangeCustomPasswordParts } from "./change-custom-password.ts";
export {
  mapCustomUser,
  removeCustomUser,
  requireCustomUser,
  requireMappedUser,
  SetCustomPassword,
  type SetCustomPasswordInput,
  setCustomUserDisabled,
  setCustomUserEmail,
} from "./change-custom-user.ts";
export {
  ConfirmCustomPassword,
  type ConfirmCustomPasswordInput,
  type ConfirmCustomPasswordParts,
} from "./confirm-custom-password.ts";
export {
  AddCustomUser,
  type AddCustomUserInput,
  CreateCustomAccount,
  type CreateCustomAccountInput,
} from "./create-custom-account.ts";
export { customSubject, customUserKey, findCustomAccount, mapCustomAccount } from "./custom-accounts.ts";
export { CustomPasswordReset, SettleCustomPassword } from "./custom-password-reset.ts";
export { findCustomUser, listCustomUsers, type ListedCustomUser } from "./list-custom-users.ts";
export { LogInCustomUser } from "./log-in-custom-user.ts";
export { type PendingPassword, PendingPasswords } from "./pending-passwords.ts";
export {
  type CustomCredentials,
  type ProveCustomUser,
  type ProvenCustomUser,
  VerifyCustomPassword,
} from "./verify-custom-password.ts";
