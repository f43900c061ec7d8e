import type { CustomAccount, PendingPassword } from "@sallyport/core";

/** A custom account as stored. */
export interface CustomAccountRecord {
  readonly account: CustomAccount;
  readonly confusableKey: string;
  /** The new password that waits to be confirmed, and until when by the storage's clock. */
  readonly pending: (Omit<PendingPassword, "lifetime"> & { readonly until: number }) | null;
}
