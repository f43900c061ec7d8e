export * from "./change-user.ts";
export * from "./create-user.ts";
export { type ListedUser, listUsers } from "./list-users.ts";
export { clientPassword, type GivenPassword, type PasswordHasher, VerifyPassword } from "./verify-password.ts";
