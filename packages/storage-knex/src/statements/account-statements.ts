import type { Statement } from "../statement.ts";

export interface AccountStatements {
  /**
   * 1 login name, 2 links. The account (`known`) with its user object, the next one by name (`next`) and the first one
   * (`first`), as far as they exist; and the objects that the links of the user object point to (`linked`).
   */
  readonly forProof: Statement;
  /** 1 user, 2 links. The account (`known`) and what its user object points to (`linked`), as above. */
  readonly byUser: Statement;
  /** 1 issuer, 2 subject, 3 links. The same of whom the identity is bound to; the link stands in the row with the account, which is there without one. */
  readonly byIdentity: Statement;
  /** 1 user, 2 login name, 3 confusable key, 4 secret, 5 administrator, 6 address for mail or null. Adds a row, unless one of the first three is known. */
  readonly create: Statement;
  /** 1 numbers of users, 2 how what belongs to them names them. Returns whether their accounts were removed. */
  readonly remove: Statement;
}
