export * from "./change-user.ts";
export * from "./create-account.ts";
export * from "./create-user.ts";
export { type ListedUser, listUsers } from "./list-users.ts";
export * from "./password-hasher.ts";
export { type GivenPassword, VerifyPassword } from "./verify-password.ts";
