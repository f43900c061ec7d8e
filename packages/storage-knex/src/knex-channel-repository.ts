import { assertMessageNumber, assertReservation, type ChannelRepository, type Digest } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export const knexChannelRepository = (
  sql: SqlRunner,
  statements: ChannelStatements,
  blockStatements: CipherBlockStatements,
  offset: () => number,
): ChannelRepository => ({
  async reserveOut(session, count) {
    assertReservation(count);
    const { rows } = await sql.run<{ first: string }>(statements.reserveOut, [bytesOf(session), count]);
    return rows[0] === undefined ? null : BigInt(rows[0].first);
  },

  async acceptIn(session, number) {
    assertMessageNumber(number);
    const values = [bytesOf(session), String(number)];
    const { rowCount } = await sql.run(statements.acceptIn, values);
    if (rowCount === 1) return "fresh";
    // A number that was refused is never accepted later, so the reason can be asked for afterwards.
    const { rows } = await sql.run<{ old: boolean }>(statements.judge, values);
    if (rows[0] === undefined) return "gone";
    return rows[0].old ? "old" : "seen";
  },

  async claimBlocks({ blocks, clientKey, keyId }, { uses, within }) {
    // In one order, so that those who claim the same wait for one another instead of blocking each other.
    const distinct = [...new Set(blocks)].toSorted();
    const [only] = distinct;
    if (distinct.length === 1 && only !== undefined) {
      const { rowCount } = await sql.run(blockStatements.claimNew, [
        bytesOf(only),
        bytesOf(clientKey),
        keyId,
        offset(),
      ]);
      if (rowCount === 1) return "first";
    }
    const values = [distinct, bytesOf(clientKey), keyId, offset()];
    return sql.atomically(async (transaction) => {
      // Sent together; a statement of its own sees what was committed while the one before it waited.
      const [, { rows }] = await Promise.all([
        transaction.run(blockStatements.prepare, values),
        transaction.run<ClaimRow>(blockStatements.claim, [...values, uses, within]),
      ]);
      const { allowed, known } = rows[0] as ClaimRow;
      if (!allowed) return "refused";
      return known ? "again" : "first";
    });
  },

  async sweepBlocks(acceptedKeyIds, age, limit) {
    const { rowCount } = await sql.run(blockStatements.sweep, [acceptedKeyIds, age, limit, offset()]);
    return rowCount;
  },
});

function bytesOf(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}

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

interface ClaimRow {
  readonly allowed: boolean;
  /** Whether one of the blocks was used before. */
  readonly known: boolean;
}
