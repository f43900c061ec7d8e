import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Name of the only scenario to run; absent: all. */
  readonly only: string | undefined;
  /** Runs short rounds and does not judge their figures. */
  readonly quick: boolean;
  /** Number of objects of the scenario `large`. */
  readonly size: number;
  /** Adds the figures of both sides and their processor times to the page. */
  readonly figures: boolean;
  /** File for the outcomes as JSON. */
  readonly json: string | undefined;
  /** Directory for a CPU profile of each candidate under load. */
  readonly profile: string | undefined;
  /** File of an earlier run to compare with. */
  readonly compare: string | undefined;
}

/** The tenth of a smaller database has no class of its own. */
const minSize = 100_000;

/** Parses the command line. Throws on an unknown option or scenario. */
export function benchOptions(args: readonly string[], scenarios: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      size: { type: "string" },
      figures: { type: "boolean", default: false },
      json: { type: "string" },
      profile: { type: "string" },
      compare: { type: "string" },
    },
  });
  const { only, quick, figures, json, profile, compare } = values;
  const size = Number(values.size ?? (quick ? 100_000 : 1_000_000));
  if (only !== undefined && !scenarios.includes(only)) throw new Error(`--only takes one of: ${scenarios.join(", ")}`);
  if (!Number.isInteger(size) || size < minSize) throw new Error(`--size takes a number from ${minSize} on.`);
  if (profile !== undefined && compare !== undefined) throw new Error("--profile does not go with --compare.");
  return { only, quick, size, figures, json, profile, compare };
}
