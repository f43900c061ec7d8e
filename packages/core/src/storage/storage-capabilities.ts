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

const words: { readonly [K in keyof StorageCapabilities]: (declared: StorageCapabilities[K]) => string } = {
  durable: (declared) => (declared ? "durable" : "gone with its process"),
  severalProcesses: (declared) => (declared ? "several processes" : "one process"),
  parallelTransactions: (declared) => (declared ? "parallel transactions" : "transactions take turns"),
  valueIndexes: (declared) => (declared ? "indexes over values" : "no indexes over values"),
  indexesPerTable: (declared) => (declared === null ? "as many indexes as wanted" : `at most ${declared} indexes`),
};

/** What an adapter declares, in words for whoever runs it: one for each capability, in the order of their importance. */
export function capabilityWords(capabilities: StorageCapabilities): ReadonlyMap<keyof StorageCapabilities, string> {
  const names = Object.keys(words) as (keyof StorageCapabilities)[];
  return new Map(names.map((name) => [name, (words[name] as (declared: unknown) => string)(capabilities[name])]));
}
