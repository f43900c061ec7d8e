import {
  assertMessageNumber,
  assertReservation,
  type BlockClaim,
  type BlockLimits,
  type BlockVerdict,
  type ChannelRepository,
  type Digest,
  type MessageVerdict,
} from "@sallyport/core";
import type { ChannelStatements } from "./statements/channel-statements.ts";
import type { CipherBlockStatements, ClaimRow } from "./statements/cipher-block-statements.ts";
import type { SqlRunner } from "./sql-runner.ts";

export class KnexChannelRepository implements ChannelRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ChannelStatements,
    private readonly blocks: CipherBlockStatements,
    private readonly offset: () => number,
  ) {}

  async reserveOut(session: Digest, count: number): Promise<bigint | null> {
    assertReservation(count);
    const { rows } = await this.sql.run<{ first: string }>(this.statements.reserveOut, [bytesOf(session), count]);
    return rows[0] === undefined ? null : BigInt(rows[0].first);
  }

  async acceptIn(session: Digest, number: bigint): Promise<MessageVerdict> {
    assertMessageNumber(number);
    const values = [bytesOf(session), String(number)];
    const { rowCount } = await this.sql.run(this.statements.acceptIn, values);
    if (rowCount === 1) return "fresh";
    // A number that was refused is never accepted later, so the reason can be asked for afterwards.
    const { rows } = await this.sql.run<{ old: boolean }>(this.statements.judge, values);
    if (rows[0] === undefined) return "gone";
    return rows[0].old ? "old" : "seen";
  }

  async claimBlocks({ blocks, clientKey, keyId }: BlockClaim, { uses, within }: BlockLimits): Promise<BlockVerdict> {
    // In one order, so that those who claim the same wait for one another instead of blocking each other.
    const distinct = [...new Set(blocks)].toSorted();
    const [only] = distinct;
    if (distinct.length === 1 && only !== undefined) {
      const { rowCount } = await this.sql.run(this.blocks.claimNew, [
        bytesOf(only),
        bytesOf(clientKey),
        keyId,
        this.offset(),
      ]);
      if (rowCount === 1) return "first";
    }
    const values = [distinct, bytesOf(clientKey), keyId, this.offset()];
    return this.sql.atomically(async (sql) => {
      // Sent together; a statement of its own sees what was committed while the one before it waited.
      const [, { rows }] = await Promise.all([
        sql.run(this.blocks.prepare, values),
        sql.run<ClaimRow>(this.blocks.claim, [...values, uses, within]),
      ]);
      const { allowed, known } = rows[0] as ClaimRow;
      if (!allowed) return "refused";
      return known ? "again" : "first";
    });
  }

  async sweepBlocks(acceptedKeyIds: readonly string[], age: number, limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.blocks.sweep, [acceptedKeyIds, age, limit, this.offset()]);
    return rowCount;
  }
}

function bytesOf(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}
