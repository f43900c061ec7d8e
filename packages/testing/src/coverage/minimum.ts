import type { ContractCoverage } from "./contract-coverage.ts";

/** Kinds with a percentage, and their names in messages. */
const kinds = {
  routes: "routes",
  codes: "codes",
  pairs: "codes of routes",
  modes: "log-in modes",
  administration: "routes of administration",
} as const;

export type CoverageKind = keyof typeof kinds;

/** Least percentages by kind. A number holds for `routes` and `codes`. */
export type Minimum = number | Readonly<Partial<Record<CoverageKind, number>>>;

const kindNames = Object.keys(kinds) as CoverageKind[];

/** Reads `40`, or kinds such as `routes=80,codes=40`. Throws a `TypeError` for another text. */
export function parsedMinimum(text: string): Minimum {
  if (!text.includes("=")) return checked(text.trim() === "" ? Number.NaN : Number(text), text);
  const pairs = text.split(",").map((part): readonly [string, number] => {
    const [name = "", percent = "", ...more] = part.split("=").map((each) => each.trim());
    return [name, percent === "" || more.length > 0 ? Number.NaN : Number(percent)];
  });
  return checked(Object.fromEntries(pairs), text);
}

/** Why the coverage is too low; `null` if it is high enough. Throws a `TypeError` for an invalid minimum. */
export function shortfall(coverage: ContractCoverage, minimum: Minimum): string | null {
  const valid = checked(minimum, JSON.stringify(minimum));
  const least = typeof valid === "number" ? { routes: valid, codes: valid } : valid;
  const low = kindNames.flatMap((kind) => {
    const [percent, min] = [coverage[kind]?.percent, least[kind] ?? 0];
    if ((percent ?? 0) >= min) return [];
    return [`${percent === undefined ? "unknown" : `${percent} %`} of the ${kinds[kind]}, not ${min} %`];
  });
  return low.length === 0 ? null : `The contract coverage is too low: ${low.join("; ")}.`;
}

function checked(minimum: Minimum, shown: string): Minimum {
  const percents = typeof minimum === "number" ? { routes: minimum } : minimum;
  for (const [kind, percent] of Object.entries(percents)) {
    if (!(kind in kinds)) throw new TypeError(`There is no kind "${kind}". Kinds are ${kindNames.join(", ")}.`);
    if (!(percent >= 0 && percent <= 100))
      throw new TypeError(`The minimum must be a number from 0 to 100, unlike "${shown}".`);
  }
  return minimum;
}
