export { type ContractCoverage, contractCoverage, type ContractRoute, type Part } from "./contract-coverage.ts";
export { coverageBadge } from "./coverage-badge.ts";
export { coverageText } from "./coverage-text.ts";
export { type Exercise, readExercises } from "./exercises.ts";
export type { CoverageKind, Minimum } from "./minimum.ts";
export {
  type CoverageOptions,
  type CoverageReport,
  reportCoverage,
  reportExercises,
  startCoverage,
} from "./report-coverage.ts";
export { type CoverageTerminal, runCoverage } from "./run-coverage.ts";
