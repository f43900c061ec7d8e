/** Number of durations kept per kind. */
const timesPerKind = 32;

/** Milliseconds. When proofs take longer, the load hides any timing difference. */
const maxPause = 1_000;

/**
 * Recent durations of proofs, by kind. A lockout answer takes such a duration. Otherwise its timing would reveal known
 * users, whose passwords are verified even at a locked-out address.
 */
export class ProofTimes {
  private readonly recent = new Map<string, number[]>();
  private next = 0;

  constructor(private readonly pause: (milliseconds: number) => Promise<unknown>) {}

  async measure<T>(kind: string, prove: () => Promise<T>): Promise<T> {
    const startedAt = Date.now();
    const proven = await prove();
    const times = this.recent.get(kind) ?? [];
    this.recent.set(kind, [...times, Date.now() - startedAt].slice(-timesPerKind));
    return proven;
  }

  /** Waits for one of the recorded durations. Does not wait if there is none. */
  async simulate(kind: string): Promise<void> {
    const times = this.recent.get(kind) ?? [];
    this.next += 1;
    const time = times[this.next % times.length];
    if (time !== undefined) await this.pause(Math.min(time, maxPause));
  }
}
