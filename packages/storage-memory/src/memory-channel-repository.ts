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
import type { Access } from "./access.ts";
import { accepted } from "./channel-record.ts";

export class MemoryChannelRepository implements ChannelRepository {
  constructor(private readonly access: Access) {}

  async reserveOut(session: Digest, count: number): Promise<bigint | null> {
    assertReservation(count);
    return this.access.write(({ channels }) => {
      const record = channels.get(session);
      if (record === undefined) return null;
      channels.set(session, { ...record, nextOut: record.nextOut + BigInt(count) });
      return record.nextOut;
    });
  }

  async acceptIn(session: Digest, number: bigint): Promise<MessageVerdict> {
    assertMessageNumber(number);
    return this.access.write(({ channels }) => {
      const record = channels.get(session);
      if (record === undefined) return "gone";
      const { verdict, after } = accepted(record, number);
      channels.set(session, after);
      return verdict;
    });
  }

  claimBlocks({ blocks, clientKey, keyId }: BlockClaim, { uses, within }: BlockLimits): Promise<BlockVerdict> {
    const wanted = new Set(blocks);
    return this.access.write(({ cipherBlocks }, now) => {
      const known = [...wanted].flatMap((block) => cipherBlocks.get(block) ?? []);
      const allowed = known.every(
        (each) => each.clientKey === clientKey && each.uses < uses && now - each.firstUsedAt <= within,
      );
      if (!allowed) return "refused";
      for (const block of wanted) {
        const before = cipherBlocks.get(block) ?? { clientKey, keyId, uses: 0, firstUsedAt: now };
        cipherBlocks.set(block, { ...before, uses: before.uses + 1 });
      }
      return known.length === 0 ? "first" : "again";
    });
  }

  sweepBlocks(acceptedKeyIds: readonly string[], age: number, limit: number): Promise<number> {
    const kept = new Set(acceptedKeyIds);
    return this.access.write(({ cipherBlocks }, now) => {
      const over = [...cipherBlocks.entries()]
        .filter(([, { keyId, firstUsedAt }]) => !kept.has(keyId) && now - firstUsedAt >= age)
        .slice(0, limit);
      for (const [block] of over) cipherBlocks.delete(block);
      return over.length;
    });
  }
}
