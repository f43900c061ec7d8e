export {
  requireAccount,
  setUserDisabled,
  setUserEmail,
  SetUserPassword,
  type SetUserPasswordInput,
} from "./change-user.ts";
export { CreateAccount, type CreateAccountInput } from "./create-account.ts";
export { CreateUser, type CreateUserInput } from "./create-user.ts";
export { type ListedUser, listUsers } from "./list-users.ts";
export { clientPassword, type PasswordHasher } from "./password-hasher.ts";
export { type GivenPassword, VerifyPassword } from "./verify-password.ts";
