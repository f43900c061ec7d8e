export { AskAuthenticator } from "./ask-authenticator.ts";
export { ChangeCustomPassword, type ChangeCustomPasswordParts } from "./change-custom-password.ts";
export {
  ConfirmCustomPassword,
  type ConfirmCustomPasswordInput,
  type ConfirmCustomPasswordParts,
} from "./confirm-custom-password.ts";
export { CreateCustomAccount, type CreateCustomAccountInput } from "./create-custom-account.ts";
export type { CustomAccount, ListedCustomAccount, NewCustomAccount, PendingPassword } from "./custom-account.ts";
export type { CustomAccountRepository, ForCustomProof } from "./custom-account-repository.ts";
export { CustomPasswordReset } from "./custom-password-reset.ts";
export { customUserKey } from "./custom-user-key.ts";
export { KeepAuthenticatedUser } from "./keep-authenticated-user.ts";
export { LogInCustomUser } from "./log-in-custom-user.ts";
export type { CustomCredentials, ProveCustomUser, ProvenCustomUser } from "./prove-custom-user.ts";
export { customSubject, SettleCustomPassword } from "./settle-custom-password.ts";
export { VerifyCustomPassword } from "./verify-custom-password.ts";
