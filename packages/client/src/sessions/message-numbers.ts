/** The numbers of the messages that a session sends: 0, 1, 2 …, each given out once. */
export class OutgoingNumbers {
  #next = 0n;

  next(): bigint {
    const number = this.#next;
    this.#next += 1n;
    return number;
  }
}

/** Successive numbers, both ends included. */
interface Run {
  first: bigint;
  last: bigint;
}

/**
 * The numbers of the messages that a session has received, in any order and with gaps of any size: the processes of a
 * server take their numbers from different blocks. Remembers all of them, as runs.
 */
export class AcceptedNumbers {
  /** Ascending; between two runs is a gap. */
  readonly #runs: Run[] = [];

  /** Takes a number; `false` if it was taken before. */
  accept(number: bigint): boolean {
    const at = this.#runsUpTo(number);
    const before = this.#runs[at - 1];
    const after = this.#runs[at];
    if (before !== undefined && number <= before.last) return false;
    const extendsBefore = before?.last === number - 1n;
    const extendsAfter = after?.first === number + 1n;
    if (extendsBefore && extendsAfter) {
      before.last = after.last;
      this.#runs.splice(at, 1);
    } else if (extendsBefore) before.last = number;
    else if (extendsAfter) after.first = number;
    else this.#runs.splice(at, 0, { first: number, last: number });
    return true;
  }

  /** How many runs begin with this number or a lower one. */
  #runsUpTo(number: bigint): number {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle]?.first ?? 0n) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
