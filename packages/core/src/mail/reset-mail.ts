import type { Repositories } from "../storage/index.ts";
import type { MailOrder } from "./mail.ts";

/** Whom a request for a new password leads to, with the token that it has been given. */
export interface PreparedReset {
  /** One address, as `mailAddress` takes it. */
  readonly to: string;
  readonly name: string;
  readonly token: string;
  /** For how long the token is good. */
  readonly minutes: number;
}

/** Whom a request for a new password names. */
export type ResetOrder = Pick<Extract<MailOrder, { readonly kind: "passwordReset" }>, "user" | "custom">;

/** What a request for a new password comes to, found out when it is about to be sent. */
export interface ResetMail {
  /**
   * Finds whoever is meant and issues the token; `null` where there is nobody to write to: no such user, no address, disabled, or written to a moment ago.
   * Is called within a transaction, of which `r` are the repositories, and awaits nothing else: token and order are changed together.
   */
  prepare(r: Repositories, order: ResetOrder): Promise<PreparedReset | null>;
}
