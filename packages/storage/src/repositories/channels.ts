import type { Access } from "../kernel/access.ts";
import {
  assertMessageNumber,
  assertReservation,
  type Channel,
  type ChannelRepository,
  type MessageVerdict,
  messageWindow,
} from "../ports/channel-repository.ts";
import { type ChannelRow, type CipherBlockRow, channelTable, cipherBlockTable } from "./tables.ts";

export const channelRepository = (access: Access): ChannelRepository => ({
  async reserveOut(session, count) {
    assertReservation(count);
    return access.write(async (rows) => {
      const row = await rows.get(channelTable, session);
      if (row === undefined) return null;
      const first = BigInt(row.nextOut);
      await rows.put(channelTable, { ...row, nextOut: String(first + BigInt(count)) });
      return first;
    });
  },

  async acceptIn(session, number) {
    assertMessageNumber(number);
    return access.write(async (rows) => {
      const row = await rows.get(channelTable, session);
      if (row === undefined) return "gone";
      const { verdict, after } = judged(row, number);
      if (after !== row) await rows.put(channelTable, after);
      return verdict;
    });
  },

  async registerBlocks({ blocks, clientKey, keyId }, { uses, within }) {
    const unique = [...new Set(blocks)];
    return access.write(async (rows) => {
      const now = await rows.now();
      const existing = await rows.getAll(
        cipherBlockTable,
        unique.map((block) => [block]),
      );
      const isAllowed = (row: CipherBlockRow) =>
        row.clientKey === clientKey && row.uses < uses && now - row.firstUsedAt <= within;
      if (!existing.every(isAllowed)) return "refused";
      const before = new Map(existing.map((row) => [row.block, row]));
      const counted = unique.map((block) => {
        const row = before.get(block) ?? { block, clientKey, keyId, uses: 0, firstUsedAt: now };
        return { ...row, uses: row.uses + 1 };
      });
      await rows.put(cipherBlockTable, ...counted);
      return existing.length === 0 ? "first" : "again";
    });
  },

  async sweepBlocks(acceptedKeyIds, age, limit) {
    const keyIds = new Set(acceptedKeyIds);
    return access.write(async (rows) => {
      const through = (await rows.now()) - age;
      const over: CipherBlockRow[] = [];
      // From key to key, so that the blocks of accepted keys cost nothing.
      let first = await rows.first(cipherBlockTable, { index: "byKey" });
      while (first !== undefined && over.length < limit) {
        const { keyId } = first;
        if (!keyIds.has(keyId)) {
          const span = { index: "byKey", of: [keyId], through: [through] } as const;
          over.push(...(await rows.list(cipherBlockTable, span, limit - over.length)));
        }
        first = await rows.first(cipherBlockTable, { index: "byKey", after: [keyId] });
      }
      await rows.delete(cipherBlockTable, ...over.map(({ block }) => [block]));
      return over.length;
    });
  },
});

export function openedChannel(digest: string, { wrappedKey, ivPrefix }: Channel): ChannelRow {
  return { digest, wrappedKey, ivPrefix: [...ivPrefix], nextOut: "0", highest: "-1", accepted: "0" };
}

export function channelOfRow({ wrappedKey, ivPrefix }: ChannelRow): Channel {
  return { wrappedKey, ivPrefix: Uint8Array.from(ivPrefix) };
}

const width = BigInt(messageWindow);
const everyBit = (1n << width) - 1n;

/** Judges the number of an incoming message. `after` is the row to keep: the same one if nothing changes. */
export function judged(row: ChannelRow, number: bigint): { verdict: MessageVerdict; after: ChannelRow } {
  // Bit n is the n-th number below the highest.
  const window = BigInt(`0x${row.accepted}`);
  const ahead = number - BigInt(row.highest);
  const withAccepted = (bits: bigint) => ({ ...row, accepted: bits.toString(16) });
  if (ahead > 0n) {
    const moved = ahead < width ? (window << ahead) & everyBit : 0n;
    return { verdict: "fresh", after: { ...withAccepted(moved | 1n), highest: String(number) } };
  }
  if (ahead <= -width) return { verdict: "old", after: row };
  const bit = 1n << -ahead;
  return (window & bit) === 0n
    ? { verdict: "fresh", after: withAccepted(window | bit) }
    : { verdict: "seen", after: row };
}
