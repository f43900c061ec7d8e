/** A message may come again from the same client, as when an answer got lost. */
export const repetition = { uses: 3, within: 60_000 };

/** Messages of one network in hand at once, those whose refusal is awaited among them; less than may wait to be opened. */
export const mostOfNetwork = 64;

/**
 * A message that is refused is answered when a multiple of so many milliseconds is over: one is longer than anything takes
 * that happens before, so that the time does not tell what was wrong. On a busy server it may be several.
 */
const refusalTime = 250;

/** How long a refusal still has to wait after so many milliseconds of work. */
export function refusalPause(worked: number): number {
  return refusalTime - (worked % refusalTime);
}
