import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Name of the one scenario to run; all of them unless given. */
  readonly only: string | undefined;
  /** Short rounds, whose figures are not judged. */
  readonly quick: boolean;
  /** File that gets the outcomes as JSON. */
  readonly json: string | undefined;
  /** Directory that gets a profile of each contestant under load. */
  readonly profile: string | undefined;
}

/** Reads the command line; throws on what it does not know. */
export function benchOptions(given: readonly string[], scenarios: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...given],
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      profile: { type: "string" },
    },
  });
  const { only, quick, json, profile } = values;
  if (only !== undefined && !scenarios.includes(only)) throw new Error(`--only takes one of: ${scenarios.join(", ")}`);
  return { only, quick, json, profile };
}
