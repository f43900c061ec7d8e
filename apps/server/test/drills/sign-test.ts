import { randomInt } from "node:crypto";

export interface SignTest {
  /** The number of pairs in which the other took longer than the one. */
  readonly longer: number;
  /** Standard deviations from the expectation without a difference. */
  readonly z: number;
}

/**
 * Times both for every pair, in sequence and in random order, and counts only the slower one, so that a busy machine
 * does not matter.
 */
export async function signTest(
  pairs: number,
  one: (pair: number) => Promise<number>,
  other: (pair: number) => Promise<number>,
): Promise<SignTest> {
  let longer = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    const ways = [one, other] as const;
    const first = randomInt(2);
    const times = [0, 0];
    for (const index of [first, 1 - first]) times[index] = await (ways[index] as typeof one)(pair);
    longer += (Math.sign((times[1] as number) - (times[0] as number)) + 1) / 2;
  }
  return { longer, z: (longer - pairs / 2) / (Math.sqrt(pairs) / 2) };
}
