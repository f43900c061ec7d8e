import { median } from "./compare-candidates.ts";
import { markdownTable, type Outcome, numberText, rowName } from "./outcome.ts";

/** The change of the cost of one row between two builds. */
export interface Move {
  readonly row: string;
  /** In `unit`: costs, costs as multiples of the limit's, or the figures of rows without a cost. */
  readonly before: number;
  readonly after: number;
  readonly unit: "µs" | "× limit" | Outcome["unit"];
  /** `after / before`. */
  readonly ratio: number;
  /** The ratio is uncertain by this much; absent: the row has no cost and is not judged. */
  readonly noise?: number;
}

/** A row may cost this much more before it counts as worse. */
const tolerance = 0.03;

/** The rows of both builds, whose rounds alternated: each pair of rounds is compared. */
export function movesInTurn(before: readonly Outcome[], after: readonly Outcome[]): Move[] {
  return paired(before, after, ourRow).map(([row, earlier, later]) => {
    const [a, b] = [earlier.costs?.ours ?? [], later.costs?.ours ?? []];
    if (a.length === 0 || a.length !== b.length) return figures(row, earlier, later);
    const ratios = b.map((cost, round) => cost / (a[round] ?? Number.NaN));
    const common = { row, before: median(a), after: median(b), unit: "µs" } as const;
    return { ...common, ratio: median(ratios), noise: noiseOf(ratios) };
  });
}

/** The rows of a run and of an earlier one, possibly of another machine: their costs as multiples of their limits. */
export function movesAgainstLimits(before: readonly Outcome[], after: readonly Outcome[]): Move[] {
  const rowOf = (outcome: Outcome) => rowName({ ...outcome, scenario: ourRow(outcome) });
  return paired(before, after, rowOf).map(([row, earlier, later]) => {
    const [a, b] = [shares(earlier), shares(later)];
    if (a.length === 0 || b.length === 0) return figures(row, earlier, later);
    const common = { row, before: median(a), after: median(b), unit: "× limit" } as const;
    return { ...common, ratio: median(b) / median(a), noise: Math.hypot(noiseOf(a), noiseOf(b)) };
  });
}

export function isWorse({ ratio, noise }: Move): boolean {
  return noise !== undefined && ratio - 1 > Math.max(tolerance, noise);
}

function isBetter({ ratio, noise }: Move): boolean {
  return noise !== undefined && 1 - ratio > Math.max(tolerance, noise);
}

export function moveTable(moves: readonly Move[]): string {
  const rows = moves.map((move) => [
    move.row,
    `${numberText(move.before)} ${move.unit}`,
    `${numberText(move.after)} ${move.unit}`,
    move.ratio.toFixed(3),
    move.noise === undefined ? "" : `± ${move.noise.toFixed(3)}`,
    isWorse(move) ? "worse" : isBetter(move) ? "better" : "",
  ]);
  return markdownTable(["scenario", "before", "after", "ratio", "noise", "moved"], rows);
}

/** The cost of our candidate as a multiple of that of its limit, round by round. */
function shares({ costs }: Outcome): number[] {
  const all = (costs?.ours ?? []).map((cost, round) => cost / (costs?.limit[round] ?? Number.NaN));
  return all.every((share) => Number.isFinite(share) && share > 0) ? all : [];
}

/**
 * Half the interval that holds the median of all such rounds with 99 % certainty, as a share of the median. The quartiles estimate
 * the deviation, so that a single disturbed round does not widen the interval.
 */
export function noiseOf(ratios: readonly number[]): number {
  const sorted = ratios.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [median(sorted.slice(0, half)), median(sorted.slice(-half))];
  return (quartilesToInterval * (high - low)) / Math.sqrt(sorted.length) / median(sorted);
}

/**
 * For normally distributed values: 99 % are within 2.58 standard errors. That of a median is 1.25 deviations, divided by the root of
 * the number of rounds. The quartiles are 1.35 deviations apart.
 */
const quartilesToInterval = (2.58 * 1.25) / 1.35;

function ourRow({ scenario, oursName }: Outcome): string {
  return oursName === undefined || oursName === scenario ? scenario : `${scenario} (${oursName})`;
}

/** A row without a cost shows its figure. */
function figures(row: string, before: Outcome, after: Outcome): Move {
  return { row, before: before.ours, after: after.ours, unit: after.unit, ratio: after.ours / before.ours };
}

/** The rows of both, each once. */
function paired(
  before: readonly Outcome[],
  after: readonly Outcome[],
  nameOf: (outcome: Outcome) => string,
): [string, Outcome, Outcome][] {
  const earlier = new Map(before.map((outcome) => [nameOf(outcome), outcome]));
  const later = new Map(after.map((outcome) => [nameOf(outcome), outcome]));
  return Array.from(later).flatMap(([row, outcome]) => {
    const former = earlier.get(row);
    return former === undefined ? [] : [[row, former, outcome] as [string, Outcome, Outcome]];
  });
}
