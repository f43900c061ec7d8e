import { randomInt } from "node:crypto";

export interface TimedPairs {
  readonly pairs: number;
  /** Makes an input of one kind, to be compared with the other kind. */
  readonly one: () => Uint8Array;
  readonly other: () => Uint8Array;
  readonly work: (input: Uint8Array) => unknown;
}

const samples = 64;

/**
 * Tests whether work takes longer for one kind of input than for another, by a sign test. It works on both in turn, in
 * random order, and counts only which one took longer. Without a difference this is a coin toss, even on a busy
 * machine.
 *
 * @returns the distance of the count from a half in standard deviations; beyond 5 is one case in a million by chance
 */
export function timeDifference({ pairs, one, other, work }: TimedPairs): number {
  // Inputs of both kinds are mixed in memory, so that their location does not matter.
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
