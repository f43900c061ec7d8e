export type { CustomAccount, ListedCustomAccount, NewCustomAccount, PendingPassword } from "./custom-account.ts";
export type { CustomAccountRepository, ForCustomProof } from "./custom-account-repository.ts";
