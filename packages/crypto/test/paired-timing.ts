import { randomInt } from "node:crypto";

export interface TimedPairs {
  readonly pairs: number;
  /** Makes an input of one kind; the other kind is compared with it. */
  readonly one: () => Uint8Array;
  readonly other: () => Uint8Array;
  readonly work: (input: Uint8Array) => unknown;
}

const samples = 64;

/**
 * Whether work takes longer for one kind of input than for another, by a sign test. Both are worked on in turn, in random
 * order, and counted is only which of the two took longer. Without a difference that is the toss of a coin, however busy the
 * machine is.
 *
 * @returns how many standard deviations the count is away from a half; beyond 5 is one case in a million by chance
 */
export function timeDifference({ pairs, one, other, work }: TimedPairs): number {
  // Inputs of both kinds lie mixed in memory: their place would be measured otherwise.
  const inputs = Array.from({ length: samples }, () => {
    const swapped = randomInt(2) === 1;
    const made = (swapped ? [other, one] : [one, other]).map((make) => Uint8Array.from(make()));
    return (swapped ? made.toReversed() : made) as [Uint8Array, Uint8Array];
  });
  const times = (pair: number): [number, number] => {
    const [a, b] = inputs[pair % samples] as [Uint8Array, Uint8Array];
    if (randomInt(2) === 1) return [timeOf(work, a), timeOf(work, b)];
    const second = timeOf(work, b);
    return [timeOf(work, a), second];
  };
  for (let pair = 0; pair < pairs / 4; pair++) times(pair);
  let longer = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const [a, b] = times(pair);
    longer += (Math.sign(a - b) + 1) / 2;
  }
  return Math.abs(longer - pairs / 2) / (Math.sqrt(pairs) / 2);
}

function timeOf(work: TimedPairs["work"], input: Uint8Array): number {
  const started = process.hrtime.bigint();
  work(input);
  return Number(process.hrtime.bigint() - started);
}
