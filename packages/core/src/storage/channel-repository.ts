import type { Digest } from "../digests/index.ts";

/**
 * What became of the number of an incoming message: `fresh`: accepted now, once and for all; `seen`: accepted before;
 * `old`: so far below the highest accepted one that nobody remembers it; `gone`: the session has no channel.
 */
export type MessageVerdict = "fresh" | "seen" | "old" | "gone";

/** Numbers that are told apart: the highest accepted one and the 1,023 below it. What is further below is `old`. */
export const messageWindow = 1_024;

/** The cipher blocks of one credentials message. */
export interface BlockClaim {
  /**
   * SHA-256 of each block, in any order. They are a set: a block that stands twice in one message is one block, used
   * once. Padding is random, so equal blocks are copies of one block and tell nothing about another message.
   */
  readonly blocks: readonly Digest[];
  /** SHA-256 of the client's public key that came with the message. */
  readonly clientKey: Digest;
  /** Id of the server's key that the blocks are encrypted for. */
  readonly keyId: string;
}

/** How often and how long the same client may send the same block again. */
export interface BlockLimits {
  /** Messages in all, the first included. */
  readonly uses: number;
  /** Milliseconds after the first one; at its very end a block is still taken. */
  readonly within: number;
}

/**
 * `first`: none of the blocks was known; `again`: some were, all from the same client and within the limits;
 * `refused`: a block is another client's, or used up, or too old. What is refused changes nothing.
 */
export type BlockVerdict = "first" | "again" | "refused";

/**
 * Port: message numbers of secure sessions, and the cipher blocks of secure log-ins. All of it is exact however many
 * processes ask at once, and what was answered outlives them. A channel is opened with its session, found by
 * admission, named by the digest of its session, and gone as soon as the session is ended or replaced. Whether the
 * session is live otherwise is for admission to say.
 */
export interface ChannelRepository {
  /**
   * Reserves `count` successive numbers for outgoing messages (1 to `largestReservation`, else 799) and answers the first;
   * the first of all is 0. Nobody else is ever given one of them, so numbers that are not used are lost. `null` if the channel is gone:
   * whoever has to answer the end of a session reserves before.
   */
  reserveOut(session: Digest, count: number): Promise<bigint | null>;

  /**
   * Accepts the number of an incoming message (0 to 2^64 − 1, else 799) unless it was accepted before or is too old. Any
   * jump ahead is accepted.
   */
  acceptIn(session: Digest, number: bigint): Promise<MessageVerdict>;

  /**
   * Counts one use of every block, or of none: of claims at once that do not go together, one wins. The blocks are
   * remembered with the client's key and the storage's time of their first use.
   */
  claimBlocks(claim: BlockClaim, limits: BlockLimits): Promise<BlockVerdict>;

  /**
   * Forgets at most `limit` blocks that were first used at least `age` milliseconds ago for a server key that is none
   * of these; how many it were. The age keeps a process that knows newer keys from forgetting what another still takes.
   */
  sweepBlocks(acceptedKeyIds: readonly string[], age: number, limit: number): Promise<number>;
}

/** What both ends of a secure session share, as storage keeps it. It ends with its session. */
export interface Channel {
  /** The symmetric key of the session, wrapped; storage never sees the key itself. */
  readonly wrappedKey: string;
  /** Three random bytes that every counter block of the session holds. */
  readonly ivPrefix: Uint8Array;
}
