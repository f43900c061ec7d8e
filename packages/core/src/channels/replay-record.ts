import { tallyTime } from "../audit/audit-repository.ts";
import { entryEvent } from "../audit/entry-event.ts";
import type { AppKeyContext } from "../request/request-context.ts";

/** Networks that are remembered; of one that is forgotten the next replay is an entry again. */
const mostNetworks = 10_000;

/**
 * Writes replayed log-ins to the audit. The first one of an app key and network is an entry at once; those that follow are
 * tallied for a while, or anybody could fill the audit with messages of his own.
 */
export class ReplayRecord {
  private readonly entered = new Map<string, number>();

  async add(context: AppKeyContext): Promise<void> {
    const { r, appKey, origin } = context;
    const event = entryEvent(context, { type: "credentials.replayed", outcome: 310 });
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
