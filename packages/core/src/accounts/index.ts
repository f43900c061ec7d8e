export type { Account, ListedAccount, NewAccount } from "./account.ts";
export type { AccountRepository, ForProof } from "./account-repository.ts";
export { type ClientHash, clientPassword } from "./client-password.ts";
export { CreateAccount, type CreateAccountInput } from "./create-account.ts";
export { confusableKeyOf, loginNameOf } from "./login-name.ts";
export type { PasswordHasher } from "./password-hasher.ts";
export type { Person } from "./person.ts";
export { type GivenPassword, VerifyPassword } from "./verify-password.ts";
