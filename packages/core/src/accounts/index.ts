export {
  type Account,
  type AccountChange,
  type AccountId,
  type AccountRepository,
  type AccountSelector,
  type FoundAccount,
  type ListedAccount,
  type NewAccount,
  type Person,
  type Realm,
  realmOf,
} from "./account-repository.ts";
export { type ClientHash, clientPassword, type PasswordHasher } from "./password-hasher.ts";
export { CreateAccount, type CreateAccountInput } from "./create-account.ts";
export { requireAccount, setUserDisabled, setUserEmail } from "./change-user.ts";
export { CreateUser, type CreateUserInput } from "./create-user.ts";
export { type ListedUser, listUsers } from "./list-users.ts";
export { confusableKeyOf, loginNameOf } from "./login-name.ts";
export { guardUserAttributes, isUserClass, type NamedUser, reserveUserNames, UserNames } from "./user-names.ts";
export { isUserName, renameAccount, userName } from "./rename-account.ts";
export { type GivenPassword, VerifyPassword } from "./verify-password.ts";
