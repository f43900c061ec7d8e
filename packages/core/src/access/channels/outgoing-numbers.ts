import type { Digest } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { ChannelRepository } from "../../storage/index.ts";

/** Message numbers reserved with one write to storage. */
const reserved = 128;
const maxSessions = 100_000;

interface Block {
  next: bigint;
  readonly end: bigint;
}

/**
 * Allocates message numbers. Each session has a block reserved in storage, so no process reuses a number, even after a
 * restart. The rest of a block is lost when the process ends.
 */
export class OutgoingNumbers {
  private readonly blocks = new Map<Digest, Block>();
  private readonly reservations = new Map<Digest, Promise<boolean>>();

  /** Returns an unused number, or `null` if the session has no channel any more. */
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
    if (this.blocks.size >= maxSessions) {
      const [oldest] = this.blocks.keys();
      if (oldest !== undefined) this.blocks.delete(oldest);
    }
    this.blocks.set(session, { next: first, end: first + BigInt(reserved) });
    return true;
  }
}

export const maxReservation = 1_000_000;

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
