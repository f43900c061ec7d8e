/**
 * How somebody came in. A session keeps it, and is admitted only while it still holds: a session of a custom account while the account
 * is neither disabled nor removed and has this version of its secret, one of a link while the link is there.
 */
export type Entrance =
  /** With a database user's own credentials. */
  | { readonly kind: "password" }
  | { readonly kind: "custom"; readonly accountId: string; readonly secretVersion: number }
  /** `shared` as the link has it: whether others may be bound to the same user. */
  | { readonly kind: "provider"; readonly linkId: string; readonly shared: boolean };

export const passwordEntrance: Entrance = Object.freeze({ kind: "password" });
