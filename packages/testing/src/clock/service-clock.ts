import type { Duration } from "./duration.ts";

/** The clock of a service. All databases and the service itself follow it. */
export interface ServiceClock {
  /**
   * Moves the clock forward. Long polls that end before then are answered; other timers wait until told. Throws an
   * `Error` if a storage adapter has a clock of its own.
   */
  advance(duration: Duration): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Names of the work that a server does by timers. */
export type ServiceTimer = "bans" | "files" | "indexes" | "licences" | "mail" | "sweep" | "traffic";

/** The timers of a service. Nothing runs until a test says so. */
export interface ServiceTimers {
  /** Runs the work of one timer once, for all databases. */
  run(name: ServiceTimer): Promise<void>;
  /** Runs the work of all timers. */
  runAll(): Promise<void>;
}
