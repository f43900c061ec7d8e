import type { Bound, Outcome } from "./outcome.ts";

/** What one round, or the median of several, gave for one contestant. */
export interface Figures {
  readonly perSecond: number;
  /** Microseconds of processor time of the server's process for each request. */
  readonly cpu: number;
  /** The same of the database's backends; `null` where it cannot be told. */
  readonly backendCpu: number | null;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Something that can be measured again and again. */
export interface Candidate {
  readonly name: string;
  /** Runs it for so many seconds. */
  measure(seconds: number): Promise<Figures>;
  /** Runs it once more under the profiler, which writes into the directory; gives a summary. */
  profile?(seconds: number, directory: string): Promise<string>;
}

export interface ComparisonPlan {
  readonly rounds: number;
  readonly seconds: number;
  /** Seconds of each contestant before the first round counts. */
  readonly warmUp: number;
  /** Directory for profiles, which are then taken after the last round and printed. */
  readonly profiles?: string;
}

/** The rounds of each contestant by name. */
export class ComparisonResult {
  constructor(private readonly rounds: ReadonlyMap<string, readonly Figures[]>) {}

  /** The median of each figure. */
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

  /** Throughput of one contestant as a part of another's: the median of the ratios in each round, which ran side by side. */
  ratio(name: string, other: string): number {
    const others = this.roundsOf(other);
    return median(
      this.roundsOf(name).map(({ perSecond }, round) => perSecond / (others[round]?.perSecond ?? Number.NaN)),
    );
  }

  private roundsOf(name: string): readonly Figures[] {
    const rounds = this.rounds.get(name);
    if (rounds === undefined) throw new Error(`No contestant is called ${name}.`);
    return rounds;
  }
}

/** Measures all contestants in turn, round by round; every other round in reverse order. */
export async function compareCandidates(
  candidates: readonly Candidate[],
  plan: ComparisonPlan,
): Promise<ComparisonResult> {
  for (const candidate of candidates) await candidate.measure(plan.warmUp);
  const rounds = new Map(candidates.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const candidate of round % 2 === 0 ? candidates : candidates.toReversed()) {
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

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? upper)) / 2 : upper;
}

export interface Comparison {
  readonly scenario: string;
  /** Names of the contestants. */
  readonly ours: string;
  readonly limit: string;
  readonly bound?: Bound;
}

/** The outcome of a contest between us and a limit. */
export function compared(result: ComparisonResult, { scenario, ours, limit, bound }: Comparison): Outcome {
  const [a, b] = [result.of(ours), result.of(limit)];
  return {
    scenario,
    unit: "1/s",
    ours: a.perSecond,
    limit: b.perSecond,
    limitName: limit,
    ratio: result.ratio(ours, limit),
    ...(bound === undefined ? {} : { bound }),
    cpu: { ours: a.cpu, limit: b.cpu },
    backendCpu: { ours: a.backendCpu, limit: b.backendCpu },
  };
}
