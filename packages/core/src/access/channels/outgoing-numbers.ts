import { type ChannelRepository, type Digest, type RandomSource, untilDone } from "@sallyport/storage";

/** Message numbers reserved with one write to storage. */
const reserved = 128;
const maxSessions = 100_000;
/** Bytes of a random jump. */
const jumpBytes = 6;

interface Block {
  next: bigint;
  readonly end: bigint;
}

/**
 * Allocates message numbers. Each session has a block reserved in storage, so no process reuses a number, even after a
 * restart. The rest of a block is lost when the process ends.
 *
 * The first reservation of a process for a session jumps ahead by a random number below 2^48. So a restored copy of the
 * storage, which knows fewer numbers than were used, does not repeat them either.
 */
export class OutgoingNumbers {
  private readonly blocks = new Map<Digest, Block>();
  private readonly reservations = new Map<Digest, Promise<boolean>>();

  constructor(private readonly random: Pick<RandomSource, "bytes">) {}

  /**
   * Returns an unused number, or `null` if the session has no channel any more. 706 if other requests take all numbers of
   * every reservation, or blocks of other sessions replace it at once.
   */
  next(channels: ChannelRepository, session: Digest): Promise<bigint | null> {
    return untilDone(async () => {
      const block = this.blocks.get(session);
      if (block !== undefined && block.next < block.end) {
        const number = block.next;
        block.next += 1n;
        return number;
      }
      let reservation = this.reservations.get(session);
      if (reservation === undefined) {
        reservation = this.reserve(channels, session).finally(() => this.reservations.delete(session));
        this.reservations.set(session, reservation);
      }
      return (await reservation) ? undefined : null;
    });
  }

  private async reserve(channels: ChannelRepository, session: Digest): Promise<boolean> {
    const jump = this.blocks.has(session) ? 0 : this.jump();
    const before = await channels.reserveOut(session, jump + reserved);
    this.blocks.delete(session);
    if (before === null) return false;
    const first = before + BigInt(jump);
    if (this.blocks.size >= maxSessions) {
      const [oldest] = this.blocks.keys();
      if (oldest !== undefined) this.blocks.delete(oldest);
    }
    this.blocks.set(session, { next: first, end: first + BigInt(reserved) });
    return true;
  }

  private jump(): number {
    return this.random.bytes(jumpBytes).reduce((number, byte) => number * 256 + byte, 0);
  }
}
