export type { AdapterUnderTest, StorageUnderTest } from "./adapter-under-test.ts";
export { type Comparison, ConformanceError } from "./assert/index.ts";
export type { Check } from "./check.ts";
export { checks } from "./checks.ts";
export {
  type Answers,
  answersOf,
  compareAdapters,
  type Difference,
  type DifferentialOptions,
  type DifferentialRun,
  findDifference,
  memoryReference,
  reproductionTest,
  type Scenario,
} from "./differential/index.ts";
export {
  type FileStoreCheck,
  fileStoreCheckAppliesTo,
  fileStoreChecks,
  fileStoreConformance,
  type FileStoreGroup,
  fileStoreGroups,
  type FileStoreHook,
  type FileStoreNeed,
  type FileStoreSubject,
  type FileStoreUnderTest,
  numberOfFileStoreChecks,
  type OpenFileStore,
  runFileStoreCheck,
} from "./file-stores/index.ts";
export {
  appliesTo,
  numberOfProviderChecks,
  type ProviderCheck,
  providerChecks,
  providerConformance,
  type ProviderFault,
  providerFaults,
  type ProviderProof,
  type ProviderUnderTest,
  runProviderCheck,
} from "./identity-providers/index.ts";
export { numberOfChecks } from "./number-of-checks.ts";
export { type JsonReport, jsonReport } from "./reports/json-report.ts";
export { type CheckResult, runCheck } from "./run-check.ts";
export { type ConformanceRun, runChecks, type RunOptions } from "./run-checks.ts";
export { storageConformance } from "./storage-conformance.ts";
export type { Subject } from "./subject.ts";
export type { TestRunner } from "./test-runner.ts";
