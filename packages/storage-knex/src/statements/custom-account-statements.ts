import type { Statement } from "../statement.ts";

export interface CustomAccountStatements {
  /** 1 login name. The account (`known`), the next one by name (`next`) and the first one (`first`), as far as they exist. */
  readonly forProof: Statement;
  /** 1 id, 2 login name, 3 confusable key, 4 user, 5 e-mail address or null, 6 secret. Adds a row, unless one of the first three is known. */
  readonly create: Statement;
  /** 1 id, 2 user. Raises the version. */
  readonly setUser: Statement;
  /** 1 id, 2 expected version, 3 secret, 4 digest of the code, 5 tries, 6 offset of the clock with the lifetime. */
  readonly request: Statement;
  /**
   * 1 id, 2 offset of the clock. What waits to be confirmed, and whether it can be: `due`. Until the transaction ends, nobody else changes
   * the account.
   */
  readonly pending: Statement;
}

export interface PendingRow {
  readonly secret_version: number;
  readonly pending_secret: string;
  readonly pending_code: Buffer;
  readonly pending_tries: number;
  readonly due: boolean;
}
