import type { StorageCapabilities } from "./storage-capabilities.ts";

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
