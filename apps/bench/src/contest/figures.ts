/** What one round, or the median of several, gave for one contestant. */
export interface Figures {
  readonly perSecond: number;
  /** Microseconds of processor time of the server's process for each request. */
  readonly cpu: number;
  /** The same of the database's backends; `null` where it cannot be told. */
  readonly backendCpu: number | null;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
