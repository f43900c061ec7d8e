export { type AccountReference, requireAccount } from "./account-reference.ts";
export * from "./administration-rights.ts";
export * from "./change-user.ts";
export * from "./create-user.ts";
export {
  type PasswordInput,
  type NewPassword,
  type PasswordHasher,
  preparePasswordProof,
  renewPassword,
  sentForms,
  typedPassword,
} from "./passwords.ts";
