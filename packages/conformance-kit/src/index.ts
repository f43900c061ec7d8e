export type { AdapterUnderTest, CreateOptions, KernelUnderTest, StorageUnderTest } from "./adapter-under-test.ts";
export { type Comparison, ConformanceError } from "./assert/index.ts";
export type { Check, Need } from "./check.ts";
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
export { type Light, measureSpeed, type Speed, type SpeedOptions } from "./speed/measure-speed.ts";
export { numberOfChecks } from "./number-of-checks.ts";
export { type JsonReport, jsonReport } from "./reports/json-report.ts";
export type { AdapterKind, Declared } from "./open-under-test.ts";
export { type CheckResult, runCheck } from "./run-check.ts";
export { type ConformanceRun, runChecks, type RunOptions } from "./run-checks.ts";
export {
  anomalies,
  exploreSchedules,
  type Exploration,
  type ExploreOptions,
  parseSchedule,
  type Race,
  raceText,
  randomScenarios,
  replaySchedule,
  type Scenario as ScheduledScenario,
  type Schedule,
  type Step,
} from "./schedules/index.ts";
export { storageConformance } from "./storage-conformance.ts";
export type { KernelOfSubject, Subject } from "./subject.ts";
export type { TestRunner } from "./test-runner.ts";
