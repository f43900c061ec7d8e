import type { Statement } from "../statement.ts";

export interface ChannelStatements {
  /** 1 digest of the session, 2 wrapped key, 3 prefix. Opens it anew if the session has one from before; without the session does nothing. */
  readonly open: Statement;
  /** 1 digest of the session, 2 how many. Returns the first. */
  readonly reserveOut: Statement;
  /** 1 digest of the session, 2 number. Changes the row if the number is fresh; else, or without a row, nothing. */
  readonly acceptIn: Statement;
  /** 1 digest of the session, 2 number. Returns whether a number that was not accepted is old. */
  readonly judge: Statement;
}
