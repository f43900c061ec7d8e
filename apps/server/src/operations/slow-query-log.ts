import type { SlowQueries, TimedQuery } from "@sallyport/core";
import type { Logger } from "pino";

/** Writes a line for every query that takes the database long, and names the attributes that an index would help. */
export class SlowQueryLog implements SlowQueries {
  constructor(
    private readonly logger: Logger,
    /** Milliseconds. */
    private readonly threshold: number,
  ) {}

  took({ unindexed, className, milliseconds, ...facts }: TimedQuery): void {
    if (milliseconds < this.threshold || !this.logger.isLevelEnabled("warn")) return;
    const missing = unindexed();
    const advice = missing.length === 0 ? "" : `; an index could help: ${missing.join(", ")}`;
    this.logger.warn(
      { ...facts, class: className, milliseconds, missingIndexes: missing },
      `slow query of ${className}${advice}`,
    );
  }
}
