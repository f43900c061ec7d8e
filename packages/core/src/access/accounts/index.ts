export { type AccountReference, requireAccount } from "./account-reference.ts";
export * from "./change-user.ts";
export * from "./create-user.ts";
export { type NewPassword, sentForms, typedPassword } from "./client-password.ts";
export { type GivenPassword, type PasswordHasher, preparePasswordProof, renewPassword } from "./verify-password.ts";
