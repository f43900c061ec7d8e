import type { ProviderType } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface IdentityLinkStatements {
  /** 1 issuer, 2 subject. */
  readonly find: Statement;
  /**
   * 1 id, 2 provider, 3 issuer, 4 subject, 5 user, 6 whether it is shared, 7 address or null, 8 name to display or null, 9 offset of
   * the clock. Adds a row, unless the identity is bound.
   */
  readonly create: Statement;
  /** 1 user. By provider and time. */
  readonly ofUser: Statement;
  /** 1 id. Ids of those that were there. */
  readonly removeOne: Statement;
  /** 1 user, 2 provider. The same. */
  readonly removeOfUser: Statement;
  /** 1 id to begin after or null, 2 limit. By id. */
  readonly list: Statement;
}

export interface IdentityLinkRow {
  readonly id: string;
  readonly provider: ProviderType;
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: string;
  readonly shared: boolean;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly linked: string;
}
