import fc from "fast-check";
import type { DeviceParts } from "./device.ts";
import type { Violation } from "./oracle/witness.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import type { World } from "./world.ts";

export interface SimulationOptions {
  readonly world: World;
  /** An integer. The same seed gives the same scenario. */
  readonly seed: number;
  /** Number of devices. Default: 3. */
  readonly devices?: number;
  /** Number of steps. Default: 16. */
  readonly steps?: number;
  /** Maximum number of runs to shrink a failing scenario. Default: 200; 0 keeps it as it is. */
  readonly maxTries?: number;
  /** Replaces parts of the devices. Default: the client with its store in memory. */
  readonly parts?: Partial<DeviceParts>;
}

/** A scenario in which servers or devices did something wrong. */
export interface SimulationFailure {
  readonly seed: number;
  /** The smallest failing scenario found. */
  readonly scenario: Scenario;
  readonly violations: readonly Violation[];
}

/**
 * Runs the random scenario of a seed and checks what servers and devices did. A failing one is shrunk. Deletes the
 * simulated objects of the world first; one simulation at a time can use a database.
 */
export async function simulate({
  world,
  seed,
  devices = 3,
  steps = 16,
  maxTries = 200,
  parts = {},
}: SimulationOptions): Promise<SimulationFailure | null> {
  const failures: SimulationFailure[] = [];
  const inabilities: unknown[] = [];
  let tries = 0;
  const holds = async (scenario: Scenario): Promise<boolean> => {
    if (inabilities.length > 0 || tries > maxTries) return true;
    tries += 1;
    const violations = await runScenario(scenario, world, parts).catch((error: unknown) => {
      inabilities.push(error);
      return [];
    });
    // A smaller scenario must show what the whole one has shown first.
    const expected = failures[0]?.violations[0]?.kind;
    if (!violations.some(({ kind }) => kind === (expected ?? kind))) return true;
    failures.push({ seed, scenario, violations });
    return false;
  };
  const property = fc.asyncProperty(scenarios({ devices, steps }), holds);
  await fc.check(property, { seed, numRuns: 1, ignoreEqualValues: true });
  if (inabilities.length > 0) throw inabilities[0];
  return failures.at(-1) ?? null;
}
