export { AuthenticateByHook, StoreAuthenticatedUser } from "./authenticate-by-hook.ts";
export {
  ChangeCustomPassword,
  type ChangeCustomPasswordParts,
  ConfirmCustomPassword,
  type ConfirmCustomPasswordInput,
  type ConfirmCustomPasswordParts,
} from "./change-custom-password.ts";
export * from "./add-custom-user.ts";
export * from "./custom-accounts.ts";
export * from "./custom-password-reset.ts";
export * from "./change-custom-user.ts";
export * from "./log-in-custom-user.ts";
export {
  type CustomCredentials,
  type ProveCustomUser,
  type ProvenCustomUser,
  VerifyCustomPassword,
} from "./verify-custom-password.ts";
