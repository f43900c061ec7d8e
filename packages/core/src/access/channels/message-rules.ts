import { type AppKeyContext, appKeyEvent } from "../../request/index.ts";
import { tallyTime } from "@sallyport/storage";

/** Replay limits for the same client, which may repeat a message after a lost answer. `within` is in milliseconds. */
export const replayLimits = { uses: 3, within: 60_000 };

/** Maximum concurrent messages of one network, delayed refusals included. Below the capacity of the decryption queue. */
export const maxPerNetwork = 64;

/**
 * A refusal is sent at the next multiple of this time, in milliseconds. The work before a refusal usually takes less,
 * so the timing does not reveal the cause. A busy server may need several multiples.
 */
const refusalTime = 250;

/** Returns the remaining delay of a refusal after `elapsed` milliseconds. */
export function refusalPause(elapsed: number): number {
  return refusalTime - (elapsed % refusalTime);
}

/** Maximum cached networks. The next replay of an evicted network is audited as a separate event again. */
const maxNetworks = 10_000;

/** Audits replayed log-ins. The first per app key and network is an event. Later ones add to a tally, to bound the log. */
export class ReplayRecord {
  private readonly entered = new Map<string, number>();

  async add(context: AppKeyContext): Promise<void> {
    const { r, appKey, origin, database } = context;
    const event = appKeyEvent(context, { type: "credentials.replayed", outcome: 310 });
    const key = `replay ${appKey.id} ${origin.network}`;
    const now = database.now();
    if (now - (this.entered.get(key) ?? Number.NEGATIVE_INFINITY) < tallyTime) return r.audit.append(event, key);
    this.entered.delete(key);
    this.entered.set(key, now);
    const [oldest] = this.entered.keys();
    if (this.entered.size > maxNetworks && oldest !== undefined) this.entered.delete(oldest);
    return r.audit.append(event);
  }
}
