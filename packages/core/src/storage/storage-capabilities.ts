/** What an adapter can and cannot do, and its limits; declared by the adapter itself, never chosen by a test. */
export interface StorageCapabilities {
  /** What was acknowledged is there after the process was killed. */
  readonly durable: boolean;
  /** Several processes may work on one database at once. */
  readonly severalProcesses: boolean;
  /** Transactions go on side by side, as far as they do not write the same; otherwise they take turns. */
  readonly parallelTransactions: boolean;
  /** Indexes over values make queries faster; otherwise an account is kept of which ones there should be, and no more. */
  readonly valueIndexes: boolean;
  /** How many indexes over values a database can have, 16 at the least; `null`: as many as are wanted. */
  readonly indexesPerTable: number | null;
}
