import type { CustomAccount, PendingPassword } from "@sallyport/core";

/** A custom account as stored. */
export interface CustomAccountRecord extends CustomAccount {
  readonly confusableKey: string;
  /** The new password that waits to be confirmed, and until when by the storage's clock. */
  readonly pending: (Omit<PendingPassword, "lifetime"> & { readonly until: number }) | null;
}

/** Without what is the storage's business. */
export function customAccountOf({
  confusableKey: _confusableKey,
  pending: _pending,
  ...account
}: CustomAccountRecord): CustomAccount {
  return Object.freeze(account);
}
