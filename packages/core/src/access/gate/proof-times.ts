/** How many of each kind are kept. */
const kept = 32;

/** Milliseconds; under a load in which proofs take longer, times tell nothing. */
const longestPause = 1_000;

/**
 * How long proofs have taken lately, by kind. A lockout is answered after such a time, or a known user, whose guess is judged at an address that is shut,
 * could be told from the others by how long a refusal takes.
 */
export class ProofTimes {
  private readonly recent = new Map<string, number[]>();
  private next = 0;

  constructor(private readonly pause: (milliseconds: number) => Promise<unknown>) {}

  async measure<T>(kind: string, prove: () => Promise<T>): Promise<T> {
    const begun = Date.now();
    const proven = await prove();
    const times = this.recent.get(kind) ?? [];
    this.recent.set(kind, [...times, Date.now() - begun].slice(-kept));
    return proven;
  }

  /** Lets as much time pass as one of them took; none if there was none. */
  async simulate(kind: string): Promise<void> {
    const times = this.recent.get(kind) ?? [];
    this.next += 1;
    const time = times[this.next % times.length];
    if (time !== undefined) await this.pause(Math.min(time, longestPause));
  }
}
