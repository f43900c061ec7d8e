import { type Channel, type MessageVerdict, messageWindow } from "@sallyport/core";

/** A channel as stored. */
export interface ChannelRecord extends Channel {
  /** The first number of an outgoing message that nobody has reserved. */
  readonly nextOut: bigint;
  /** The highest number of an incoming message; −1 before the first. */
  readonly highest: bigint;
  /** Which numbers were accepted: bit n stands for the n-th below the highest. */
  readonly accepted: bigint;
}

const width = BigInt(messageWindow);
const everyBit = (1n << width) - 1n;

export function openedChannel({ wrappedKey, ivPrefix }: Channel): ChannelRecord {
  return { wrappedKey, ivPrefix: ivPrefix.slice(), nextOut: 0n, highest: -1n, accepted: 0n };
}

/** What callers get of it: theirs to change. */
export function channelOfRecord({ wrappedKey, ivPrefix }: ChannelRecord): Channel {
  return { wrappedKey, ivPrefix: ivPrefix.slice() };
}

/** Judges the number of an incoming message; the record after it if that is different. */
export function accepted(record: ChannelRecord, number: bigint): { verdict: MessageVerdict; after: ChannelRecord } {
  const ahead = number - record.highest;
  if (ahead > 0n) {
    const kept = ahead < width ? (record.accepted << ahead) & everyBit : 0n;
    return { verdict: "fresh", after: { ...record, highest: number, accepted: kept | 1n } };
  }
  if (ahead <= -width) return { verdict: "old", after: record };
  const bit = 1n << -ahead;
  if ((record.accepted & bit) !== 0n) return { verdict: "seen", after: record };
  return { verdict: "fresh", after: { ...record, accepted: record.accepted | bit } };
}
