import type { DeviceParts } from "./device.ts";
import { generateScenario } from "./generate-scenario.ts";
import type { Violation } from "./oracle/witness.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { shrinkScenario } from "./shrink-scenario.ts";
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
  const generated = generateScenario(seed, { devices, steps });
  const first = await runScenario(generated, world, parts);
  const [violation] = first;
  if (violation === undefined) return null;
  let [scenario, violations] = [generated, first];
  const fails = async (smaller: Scenario) => {
    const found = await runScenario(smaller, world, parts);
    if (!found.some(({ kind }) => kind === violation.kind)) return false;
    [scenario, violations] = [smaller, found];
    return true;
  };
  await shrinkScenario(generated, fails, maxTries);
  return { seed, scenario, violations };
}
