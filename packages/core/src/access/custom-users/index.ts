export { prepareCustomProof, storeAuthenticatedUser } from "./authenticate-by-hook.ts";
export {
  changeCustomPassword,
  confirmCustomPassword,
  type ConfirmCustomPasswordInput,
} from "./change-custom-password.ts";
export * from "./add-custom-user.ts";
export * from "./pending-passwords.ts";
export * from "./custom-password-reset.ts";
export * from "./change-custom-user.ts";
export * from "./log-in-custom-user.ts";
export {
  type CustomCredentials,
  type ProvenCustomUser,
  prepareCustomPasswordProof,
} from "./verify-custom-password.ts";
