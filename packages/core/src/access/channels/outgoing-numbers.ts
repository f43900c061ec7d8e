import type { Digest } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { ChannelRepository } from "../../storage/index.ts";

/** Numbers reserved at once: one write to storage for so many messages. */
const reserved = 128;
const mostSessions = 100_000;

interface Block {
  next: bigint;
  readonly end: bigint;
}

/**
 * The numbers that this process may give to its messages: each session has a block of its own, reserved in storage, so
 * that no two processes, and no process after its restart, use one twice. What is left of a block is lost with the process.
 */
export class OutgoingNumbers {
  private readonly blocks = new Map<Digest, Block>();
  private readonly reservations = new Map<Digest, Promise<boolean>>();

  /** A number that was never given out for this session; `null` if the session has no channel any more. */
  async next(channels: ChannelRepository, session: Digest): Promise<bigint | null> {
    for (;;) {
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
      if (!(await reservation)) return null;
    }
  }

  private async reserve(channels: ChannelRepository, session: Digest): Promise<boolean> {
    const first = await channels.reserveOut(session, reserved);
    this.blocks.delete(session);
    if (first === null) return false;
    if (this.blocks.size >= mostSessions) {
      const [oldest] = this.blocks.keys();
      if (oldest !== undefined) this.blocks.delete(oldest);
    }
    this.blocks.set(session, { next: first, end: first + BigInt(reserved) });
    return true;
  }
}

export const largestReservation = 1_000_000;

const beyondNumbers = 2n ** 64n;

/** Refuses what would give numbers out twice: 799. */
export function assertReservation(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > largestReservation) {
    throw new ServiceError(799, { detail: "So many message numbers cannot be reserved." });
  }
}

/** Refuses what no counter block can hold: 799. */
export function assertMessageNumber(number: bigint): void {
  if (number < 0n || number >= beyondNumbers)
    throw new ServiceError(799, { detail: "There is no such message number." });
}
