import { assertMessageNumber, assertReservation, type ChannelRepository } from "@sallyport/storage";
import type { Access } from "./access.ts";
import { accepted } from "./channel-record.ts";

export const memoryChannelRepository = (access: Access): ChannelRepository => ({
  async reserveOut(session, count) {
    assertReservation(count);
    return access.write(({ channels }) => {
      const record = channels.get(session);
      if (record === undefined) return null;
      channels.set(session, { ...record, nextOut: record.nextOut + BigInt(count) });
      return record.nextOut;
    });
  },

  async acceptIn(session, number) {
    assertMessageNumber(number);
    return access.write(({ channels }) => {
      const record = channels.get(session);
      if (record === undefined) return "gone";
      const { verdict, after } = accepted(record, number);
      channels.set(session, after);
      return verdict;
    });
  },

  registerBlocks({ blocks, clientKey, keyId }, { uses, within }) {
    const wanted = new Set(blocks);
    return access.write(({ cipherBlocks }, now) => {
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
  },

  sweepBlocks(acceptedKeyIds, age, limit) {
    const kept = new Set(acceptedKeyIds);
    return access.write(({ cipherBlocks }, now) =>
      cipherBlocks.sweep(({ keyId, firstUsedAt }) => !kept.has(keyId) && now - firstUsedAt >= age, limit),
    );
  },
});
