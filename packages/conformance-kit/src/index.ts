export type { AdapterUnderTest, StorageUnderTest } from "./adapter-under-test.ts";
export { ConformanceError } from "./assert/index.ts";
export type { Check } from "./check.ts";
export { checks } from "./checks.ts";
export { type CheckResult, runCheck } from "./run-check.ts";
export { type ConformanceRun, runChecks, type RunOptions } from "./run-checks.ts";
export { storageConformance } from "./storage-conformance.ts";
export type { Subject } from "./subject.ts";
