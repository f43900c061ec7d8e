export { compareAdapters, type DifferentialOptions, type DifferentialRun, findDifference } from "./compare-adapters.ts";
export { memoryReference } from "./memory-reference.ts";
export { reproductionTest } from "./reproduction-test.ts";
export { type Answers, answersOf, type Difference, type Scenario } from "./scenario.ts";
