interface Limits {
  /** Milliseconds. */
  readonly statementTimeout: number;
  /** Milliseconds. */
  readonly idleInTransactionTimeout: number;
}

/**
 * What every connection is told first, whatever the server is used to: texts are compared as they are, times are UTC,
 * values that do not fit are refused, and a statement sees what is committed when it begins.
 */
export function sessionSettings({ statementTimeout, idleInTransactionTimeout }: Limits): string {
  const seconds = Math.ceil(statementTimeout / 1_000);
  return `set names utf8mb4 collate utf8mb4_nopad_bin, time_zone = '+00:00', autocommit = 1,
    sql_mode = 'STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE',
    tx_isolation = 'READ-COMMITTED', foreign_key_checks = 1, unique_checks = 1, group_concat_max_len = 1073741824,
    max_statement_time = ${statementTimeout / 1_000}, innodb_lock_wait_timeout = ${seconds + 1}, lock_wait_timeout = ${seconds + 1},
    idle_transaction_timeout = ${Math.ceil(idleInTransactionTimeout / 1_000)}`;
}
