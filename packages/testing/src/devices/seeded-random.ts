/** A deterministic generator: the same seed yields the same sequence on every machine. */
export class SeededRandom {
  private state: number;

  /** `seed`: an integer. */
  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer below the bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** One of the choices, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let rest = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      rest -= weight;
      if (rest < 0) return choice;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }

  /** Some of the items, in their order. */
  some<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }
}
