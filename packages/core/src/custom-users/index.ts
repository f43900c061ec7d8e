export { AskAuthenticator } from "./ask-authenticator.ts";
export { CreateCustomAccount, type CreateCustomAccountInput } from "./create-custom-account.ts";
export type { CustomAccount, ListedCustomAccount, NewCustomAccount, PendingPassword } from "./custom-account.ts";
export type { CustomAccountRepository, ForCustomProof } from "./custom-account-repository.ts";
export { customUserKey } from "./custom-user-key.ts";
export { KeepAuthenticatedUser } from "./keep-authenticated-user.ts";
export { LogInCustomUser } from "./log-in-custom-user.ts";
export type { CustomCredentials, ProveCustomUser, ProvenCustomUser } from "./prove-custom-user.ts";
export { VerifyCustomPassword } from "./verify-custom-password.ts";
