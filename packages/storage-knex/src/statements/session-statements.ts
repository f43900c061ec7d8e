import type { Statement } from "../statement.ts";

export interface SessionStatements {
  /**
   * 1 digest, 2 mode, 3 app key, 4 user, 5 app names, 6 device, 7 idle time-out, 8 absolute lifetime, 9 offset of the
   * clock, 10 version of the secret, 11 limit of the database, 12 of the user (0 = none), 13 custom account, 14 version of
   * its secret, 15 link, each or null.
   */
  readonly open: Statement;
  /** 1 digest, 2 offset of the clock. How many were `live`, in any number of rows. */
  readonly endOne: Statement;
  /** 1 id of the user, 2 offset of the clock, 3 digest that is excepted or null. The same. */
  readonly endAllOfUser: Statement;
  /** 1 id of the custom account, and as above. */
  readonly endAllOfCustomAccount: Statement;
  /** 1 id of the link, and as above. */
  readonly endAllOfLink: Statement;
  /** 1 digest, 2 offset of the clock, 3 version of the secret. */
  readonly renew: Statement;
  /** 1 offset of the clock. */
  readonly count: Statement;
  /** 1 limit, 2 offset of the clock. How many they were in `all`, in any number of rows. */
  readonly sweep: Statement;
}
