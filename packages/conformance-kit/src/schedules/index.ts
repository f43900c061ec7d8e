export {
  exploreSchedules,
  type Exploration,
  type ExploreOptions,
  type Race,
  raceText,
  replaySchedule,
} from "./explore.ts";
export type { Explanation, Outcome, Reading, Rows } from "./oracle.ts";
export type { Decision, Grace, Run } from "./run-schedule.ts";
export { anomalies, randomScenarios } from "./scenarios.ts";
export { parseSchedule, type Scenario, type Schedule, scenarioText, scheduleText, type Step } from "./script.ts";
