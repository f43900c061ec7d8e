import { assertMessageNumber, assertReservation, type ChannelRepository, type Digest } from "@sallyport/storage";
import type { SqlRunner, Statement } from "./sql-runner.ts";

export const sqlChannelRepository = (
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
    // A refused number is never accepted later, so the reason can be queried afterwards.
    const { rows } = await sql.run<{ old: boolean }>(statements.checkNumber, values);
    if (rows[0] === undefined) return "gone";
    return rows[0].old ? "old" : "seen";
  },

  async registerBlocks({ blocks, clientKey, keyId }, { uses, within }) {
    // A fixed order avoids deadlocks.
    const distinct = [...new Set(blocks)].toSorted();
    const [only] = distinct;
    if (distinct.length === 1 && only !== undefined) {
      const { rowCount } = await sql.run(blockStatements.registerNew, [
        bytesOf(only),
        bytesOf(clientKey),
        keyId,
        offset(),
      ]);
      if (rowCount === 1) return "first";
    }
    const values = [distinct, bytesOf(clientKey), keyId, offset()];
    return sql.atomically(async (transaction) => {
      // Pipelined. A separate statement sees what was committed while the one before it waited.
      const [, { rows }] = await Promise.all([
        transaction.run(blockStatements.prepare, values),
        transaction.run<BlockVerdictRow>(blockStatements.register, [...values, uses, within]),
      ]);
      const { allowed, known } = rows[0] as BlockVerdictRow;
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
  /** 1 session digest, 2 count. Returns the first number. */
  readonly reserveOut: Statement;
  /** 1 session digest, 2 number. Changes the row if the number is fresh; otherwise, or without a row, does nothing. */
  readonly acceptIn: Statement;
  /** 1 session digest, 2 number. Returns whether a refused number is old. */
  readonly checkNumber: Statement;
}

/**
 * One statement registers a single new block, the most common case. Any other call first creates missing rows, then locks
 * all rows in order and checks them as a batch. A row that was swept away refuses the call. Digests are
 * hexadecimal, without duplicates. A row without uses has no owner yet. Only its own transaction, or one that waited
 * for it, sees it.
 */
export interface CipherBlockStatements {
  /** 1 digest as bytes, 2 client key, 3 server key id, 4 clock offset. Adds the block unless it exists. */
  readonly registerNew: Statement;
  /** 1 array of digests, 2 client key, 3 server key id, 4 clock offset. */
  readonly prepare: Statement;
  /** 1 array of digests, 2 client key, 3 server key id, 4 clock offset, 5 uses, 6 milliseconds. */
  readonly register: Statement;
  /** 1 array of key ids, 2 minimum age, 3 limit, 4 clock offset. */
  readonly sweep: Statement;
}

interface BlockVerdictRow {
  readonly allowed: boolean;
  /** Whether one of the blocks was used before. */
  readonly known: boolean;
}
