import type { Storage } from "../storage/index.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** Milliseconds for which a measurement is good enough: clocks drift by far less than a millisecond in them. */
const freshness = 60_000;

/** The storage's clock as this process knows it, so that not every look at it is a trip to the database. */
export class StorageClock {
  private ahead = 0;
  private measuredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly storage: Pick<Storage, "now">) {}

  /** Milliseconds since 1970. Inside of a transaction it asks nobody: that may have the only connection. */
  async now({ joined }: Pick<UnitOfWork, "joined">): Promise<number> {
    if (!joined) await this.measure();
    return Date.now() + this.ahead;
  }

  /** Compares the clocks, unless that was done a moment ago. Done before a transaction that will ask for the time. */
  async measure(): Promise<void> {
    const began = Date.now();
    if (began - this.measuredAt < freshness) return;
    const theirs = await this.storage.now();
    const ended = Date.now();
    this.ahead = Math.round(theirs - (began + ended) / 2);
    this.measuredAt = ended;
  }
}
