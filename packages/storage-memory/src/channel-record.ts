import { type Channel, type MessageVerdict, messageWindow } from "@sallyport/storage";

export interface ChannelRecord extends Channel {
  /** The next outgoing number to reserve. */
  readonly nextOut: bigint;
  /** The highest incoming number; −1 before the first. */
  readonly highest: bigint;
  /** The accepted numbers: bit n is the n-th below the highest. */
  readonly accepted: bigint;
}

const width = BigInt(messageWindow);
const everyBit = (1n << width) - 1n;

export function openedChannel({ wrappedKey, ivPrefix }: Channel): ChannelRecord {
  return { wrappedKey, ivPrefix: ivPrefix.slice(), nextOut: 0n, highest: -1n, accepted: 0n };
}

/** A copy for callers, which they can change. */
export function channelOfRecord({ wrappedKey, ivPrefix }: ChannelRecord): Channel {
  return { wrappedKey, ivPrefix: ivPrefix.slice() };
}

/** Judges the number of an incoming message. `after` is the updated record. */
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
