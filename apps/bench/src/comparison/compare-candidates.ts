import type { Bound, Outcome } from "./outcome.ts";

/** The figures of one candidate: of one round, or the median of several rounds. */
export interface Figures {
  /** Requests, or MiB of files. */
  readonly perSecond: number;
  /** Microseconds of CPU time of the server process for each of them. */
  readonly cpu: number;
  /** Microseconds of CPU time of the database backends; `null` where the system does not report it. */
  readonly backendCpu: number | null;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Something to measure repeatedly. */
export interface Candidate {
  readonly name: string;
  /** Measures for this many seconds. */
  measure(seconds: number): Promise<Figures>;
  /** Measures once more under the profiler, which writes into the directory. Returns a summary. */
  profile?(seconds: number, directory: string): Promise<string>;
}

export interface ComparisonPlan {
  /** Smaller databases and files, and no long warm-up: the figures tell that all works, not how fast. */
  readonly quick: boolean;
  /** Number of objects of the scenario `large`. */
  readonly size: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Seconds of warm-up for each candidate before the first round. */
  readonly warmUp: number;
  /** Directory for profiles. They are taken after the last round and printed. */
  readonly profiles?: string;
  /** Resolves when this build may measure, until it asks again or ends. Two builds that are compared measure in turn. */
  readonly turn: () => Promise<void>;
}

/** The rounds of each candidate by name. */
export class ComparisonResult {
  constructor(private readonly rounds: ReadonlyMap<string, readonly Figures[]>) {}

  /** The median of each figure over all rounds. */
  of(name: string): Figures {
    const rounds = this.roundsOf(name);
    const backend = rounds.flatMap(({ backendCpu }) => backendCpu ?? []);
    return {
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      cpu: median(rounds.map(({ cpu }) => cpu)),
      backendCpu: backend.length === rounds.length ? median(backend) : null,
      p50: median(rounds.map(({ p50 }) => p50)),
      p99: median(rounds.map(({ p99 }) => p99)),
    };
  }

  /** The throughput of one candidate divided by another's: the median of the ratios of each round. */
  ratio(name: string, other: string): number {
    const others = this.roundsOf(other);
    return median(
      this.roundsOf(name).map(({ perSecond }, round) => perSecond / (others[round]?.perSecond ?? Number.NaN)),
    );
  }

  /** Microseconds of CPU time of server and database together for each operation, round by round. */
  costs(name: string): number[] {
    return this.roundsOf(name).map(({ cpu, backendCpu }) => cpu + (backendCpu ?? 0));
  }

  private roundsOf(name: string): readonly Figures[] {
    const rounds = this.rounds.get(name);
    if (rounds === undefined) throw new Error(`There is no candidate ${name}.`);
    return rounds;
  }
}

/** Measures all candidates in turn, round by round. Every second round runs in reverse order. */
export async function compareCandidates(
  candidates: readonly Candidate[],
  plan: ComparisonPlan,
): Promise<ComparisonResult> {
  for (const candidate of candidates) await candidate.measure(plan.warmUp);
  const rounds = new Map(candidates.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const candidate of round % 2 === 0 ? candidates : candidates.toReversed()) {
      await plan.turn();
      rounds.get(candidate.name)?.push(await candidate.measure(plan.seconds));
    }
  }
  if (plan.profiles !== undefined) await printProfiles(candidates, plan.profiles, plan.seconds);
  return new ComparisonResult(rounds);
}

async function printProfiles(candidates: readonly Candidate[], directory: string, seconds: number): Promise<void> {
  for (const candidate of candidates) {
    const summary = await candidate.profile?.(seconds, directory);
    if (summary !== undefined) console.log(`${summary}\n`);
  }
}

/** The median; for an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? upper)) / 2 : upper;
}

/** A line of the report to compute: one of our candidates beside its limit, the candidate that bounds it. */
export interface ComparedLine {
  readonly scenario: string;
  /** Candidate names. */
  readonly ours: string;
  readonly limit: string;
  readonly bound?: Bound;
  /** Default: `1/s`. */
  readonly unit?: Outcome["unit"];
}

/** The report line that compares our candidate with a limit. */
export function compared(
  result: ComparisonResult,
  { scenario, ours, limit, bound, unit = "1/s" }: ComparedLine,
): Outcome {
  const [a, b] = [result.of(ours), result.of(limit)];
  return {
    scenario,
    unit,
    ours: a.perSecond,
    oursName: ours,
    limit: b.perSecond,
    limitName: limit,
    ratio: result.ratio(ours, limit),
    ...(bound === undefined ? {} : { bound }),
    cpu: { ours: a.cpu, limit: b.cpu },
    backendCpu: { ours: a.backendCpu, limit: b.backendCpu },
    costs: { ours: result.costs(ours), limit: result.costs(limit) },
  };
}
