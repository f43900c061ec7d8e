export { compareAdapters, type DifferentialOptions, type DifferentialRun, findDifference } from "./compare-adapters.ts";
export { memoryReference } from "./memory-reference.ts";
export { readyTest } from "./ready-test.ts";
export { type Answers, answersOf, type Difference, type Scenario } from "./scenario.ts";
