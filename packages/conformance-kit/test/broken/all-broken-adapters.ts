import type { BrokenAdapter } from "./broken-adapter.ts";
import { brokenCapabilities } from "./broken-capabilities.ts";
import { brokenChanges } from "./broken-changes.ts";
import { brokenEngines } from "./broken-engines.ts";
import { brokenMemories } from "./broken-memories.ts";
import { brokenProcesses, type BrokenProcesses } from "./broken-processes.ts";
import { brokenReadsBesideWriters } from "./broken-reads-beside-writers.ts";
import { brokenRecordProcesses } from "./broken-record-processes.ts";
import { brokenRaces } from "./races.ts";
import { brokenTexts } from "./texts.ts";
import { brokenKernelProcesses } from "../kernel/broken-kernel-processes.ts";
import { brokenKernels } from "../kernel/broken-kernels.ts";

/** Adapters with faults that no change of the reference makes, by the faulty part. */
export const brokenAdapters: readonly (readonly [part: string, adapters: readonly BrokenAdapter[]])[] = [
  ["capabilities", brokenCapabilities],
  ["transactions, connections and clocks", brokenEngines],
  ["calls that start together", brokenRaces],
  ["stamps of overlapping transactions", brokenChanges],
  ["reads beside writers", brokenReadsBesideWriters],
  ["comparisons of texts", brokenTexts],
];

/** Databases with faults that show when several processes use them, or the next one. */
export const brokenDatabases: readonly (readonly [part: string, databases: readonly BrokenProcesses[]])[] = [
  ["several processes", brokenProcesses],
  ["records across processes", brokenRecordProcesses],
  ["a reopened database", brokenMemories],
];

/** The checks that an adapter or a kernel fails that is broken by hand. */
export const caughtByHand: ReadonlySet<string> = new Set(
  [
    ...brokenAdapters.flatMap(([, adapters]) => adapters),
    ...brokenDatabases.flatMap(([, databases]) => databases),
    ...brokenKernels,
    ...brokenKernelProcesses,
  ].flatMap(({ caughtBy }) => caughtBy),
);
