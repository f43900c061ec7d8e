import { ServiceError } from "../../errors/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import { tallyTime } from "../../storage/index.ts";

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

/** Gives every network the same number of places for work that costs much, so that none takes those of the others. */
export class NetworkSemaphore {
  private readonly taken = new Map<string, number>();

  /** @param each how much work of one network may be in hand at once */
  constructor(private readonly each: number) {}

  /** Does the work; 706 if the network has no place left. */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    const taken = this.taken.get(network) ?? 0;
    if (taken >= this.each)
      throw new ServiceError(706, { retryAfter: 1, detail: "Too many encrypted log-ins of one network are in hand." });
    this.taken.set(network, taken + 1);
    try {
      return await work();
    } finally {
      const left = (this.taken.get(network) ?? 1) - 1;
      if (left === 0) this.taken.delete(network);
      else this.taken.set(network, left);
    }
  }
}

/** Networks that are remembered; of one that is forgotten the next replay is an entry again. */
const mostNetworks = 10_000;

/** Audits replayed log-ins: the first of an app key and network at once, the next as a tally that cannot flood it. */
export class ReplayRecord {
  private readonly entered = new Map<string, number>();

  async add(context: AppKeyContext): Promise<void> {
    const { r, appKey, origin } = context;
    const event = logInEvent(context, { type: "credentials.replayed", outcome: 310 });
    const key = `replay ${appKey.id} ${origin.network}`;
    const now = Date.now();
    if (now - (this.entered.get(key) ?? Number.NEGATIVE_INFINITY) < tallyTime) return r.audit.tally(key, event);
    this.entered.delete(key);
    this.entered.set(key, now);
    const [oldest] = this.entered.keys();
    if (this.entered.size > mostNetworks && oldest !== undefined) this.entered.delete(oldest);
    return r.audit.append(event);
  }
}
