import type { Statement } from "../statement.ts";

/**
 * A block that comes alone, as most do, and that nobody knows is claimed by one statement. Any other claim first makes
 * sure that every block has its row, then locks the rows in their order and judges them together; one that was swept away
 * in between makes it refused. Digests are hexadecimal, each once. A row without uses is nobody's yet; it is seen by its
 * own transaction only, or by one that waited for it.
 */
export interface CipherBlockStatements {
  /** 1 digest as bytes, 2 client key, 3 id of the server's key, 4 offset of the clock. Adds the one block, unless it is known. */
  readonly claimNew: Statement;
  /** 1 array of digests, 2 client key, 3 id of the server's key, 4 offset of the clock. */
  readonly prepare: Statement;
  /** 1 array of digests, 2 client key, 3 id of the server's key, 4 offset of the clock, 5 uses, 6 milliseconds. */
  readonly claim: Statement;
  /** 1 array of ids of keys, 2 least age, 3 limit, 4 offset of the clock. */
  readonly sweep: Statement;
}

export interface ClaimRow {
  readonly allowed: boolean;
  /** Whether one of the blocks was used before. */
  readonly known: boolean;
}
