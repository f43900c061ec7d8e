export type { DeviceParts, OpenStorage, Synchronize } from "./device.ts";
export type { ScenarioSize } from "./random-scenario.ts";
export type { Violation, ViolationKind } from "./oracle/witness.ts";
export { reproductionModule, type ReproductionWorld } from "./reproduction-module.ts";
export { runScenario } from "./run-scenario.ts";
export type * from "./scenario.ts";
export { scenarioOf, scenarios } from "./scenarios.ts";
export { simulate, type SimulationFailure, type SimulationOptions } from "./simulate.ts";
export { type World, worldAt, type WorldAddress } from "./world.ts";
