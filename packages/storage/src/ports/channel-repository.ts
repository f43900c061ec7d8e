import { ServiceError } from "../errors/index.ts";
import type { Digest } from "../digests/index.ts";

/**
 * Result for the number of an incoming message. `fresh`: accepted for the first time. `seen`: already accepted. `old`:
 * below the replay window. `gone`: the session has no channel.
 */
export type MessageVerdict = "fresh" | "seen" | "old" | "gone";

/** Size of the replay window: the highest accepted number and the 1,023 below it. Lower numbers are `old`. */
export const messageWindow = 1_024;

/** The cipher blocks of one credentials message. */
export interface MessageBlocks {
  /**
   * SHA-256 of each block, as a set: a block repeated in one message counts as one use. Padding is random, so equal
   * blocks are copies of the same block and reveal nothing about other messages.
   */
  readonly blocks: readonly Digest[];
  /** SHA-256 of the client's public key in the message. */
  readonly clientKey: Digest;
  /** Id of the server key that encrypts the blocks. */
  readonly keyId: string;
}

/** Limits on resending the same block from the same client. */
export interface BlockLimits {
  /** Maximum number of messages, including the first. */
  readonly uses: number;
  /** Milliseconds after the first message, inclusive. */
  readonly within: number;
}

/**
 * `first`: no block was known. `again`: at least one block was known, from the same client and within the limits.
 * `refused`: a block belongs to another client, is used up or is too old. A refused message changes nothing.
 */
export type BlockVerdict = "first" | "again" | "refused";

/**
 * Port: message numbers of secure sessions, and cipher blocks of secure log-ins. Results are exact across concurrent
 * processes, and survive a restart of a process. A channel is opened with its session and named by the session digest.
 * It ends when the session is ended or replaced. This port does not check whether the session has expired; admission
 * does.
 */
export interface ChannelRepository {
  /**
   * Reserves `count` consecutive numbers for outgoing messages (1 to `maxReservation`, else 799) and returns the
   * first. Numbers start at 0 and are never reserved twice, so unused numbers are lost. `null` if the channel is gone:
   * to answer a log-out, reserve a number before ending the session.
   */
  reserveOut(session: Digest, count: number): Promise<bigint | null>;

  /**
   * Accepts the number of an incoming message (0 to 2^64 − 1, else 799) unless it was already accepted or is too old.
   * Gaps are allowed.
   */
  acceptIn(session: Digest, number: bigint): Promise<MessageVerdict>;

  /**
   * Counts one use of every block, or of none. Of conflicting concurrent calls, one wins. Stores the client's key and
   * the time of first use with each block, by the storage's clock.
   */
  registerBlocks(message: MessageBlocks, limits: BlockLimits): Promise<BlockVerdict>;

  /**
   * Deletes at most `limit` blocks first used at least `age` milliseconds ago for a server key not in the list. Returns
   * their number. `age` protects blocks of keys that this process does not know yet.
   */
  sweepBlocks(acceptedKeyIds: readonly string[], age: number, limit: number): Promise<number>;
}

/** The shared state of a secure session, as stored. It ends with the session. */
export interface Channel {
  /** The symmetric session key, wrapped. Storage never sees the plain key. */
  readonly wrappedKey: string;
  /** Three random bytes, part of every counter block of the session. */
  readonly ivPrefix: Uint8Array;
}

/**
 * The most numbers of one reservation: a block of 128 after a random jump below 2^48. The jump passes the numbers that may have
 * been used since the backup from which the storage was restored.
 */
export const maxReservation = 2 ** 48 + 128;

const numberLimit = 2n ** 64n;

/** Throws 799 if the count is not an integer from 1 to `maxReservation`. */
export function assertReservation(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > maxReservation) {
    throw new ServiceError(799, { detail: "The number of message numbers to reserve is out of range." });
  }
}

/** Throws 799 for a number outside the 64-bit range of a counter block. */
export function assertMessageNumber(number: bigint): void {
  if (number < 0n || number >= numberLimit)
    throw new ServiceError(799, { detail: "The message number is out of range." });
}
