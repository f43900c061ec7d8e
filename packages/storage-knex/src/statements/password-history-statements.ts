import type { Statement } from "../statement.ts";

export interface PasswordHistoryStatements {
  /** 1 subject, 2 limit. The `secret` of each, latest first. */
  readonly latest: Statement;
  /** 1 subject, 2 secret. */
  readonly add: Statement;
  /** 1 subject, 2 how many of the latest stay. The `position` of each other one, without waiting for those that others add meanwhile. */
  readonly beyond: Statement;
  /** 1 position. */
  readonly forget: Statement;
}
