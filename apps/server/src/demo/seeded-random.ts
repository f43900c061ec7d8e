/** A stream of numbers that looks random and is the same for the same seed, on every machine. */
export class SeededRandom {
  private state: number;

  constructor(seed: string) {
    let state = 0x811c9dc5;
    for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) as number), 0x01000193);
    this.state = state;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number; both ends can occur. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.whole(0, rest.length - 1), 1)[0] as T);
  }
}
