import type { Contestant } from "./contestant.ts";
import type { Figures } from "./figures.ts";
import { median } from "./median.ts";

export interface ContestPlan {
  readonly rounds: number;
  readonly seconds: number;
  /** Seconds of each contestant before the first round counts. */
  readonly warmUp: number;
  /** Directory for profiles, which are then taken after the last round and printed. */
  readonly profiles?: string;
}

/** The rounds of each contestant by name. */
export class ContestResult {
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
export async function holdContest(contestants: readonly Contestant[], plan: ContestPlan): Promise<ContestResult> {
  for (const contestant of contestants) await contestant.measure(plan.warmUp);
  const rounds = new Map(contestants.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      rounds.get(contestant.name)?.push(await contestant.measure(plan.seconds));
    }
  }
  if (plan.profiles !== undefined) await printProfiles(contestants, plan.profiles, plan.seconds);
  return new ContestResult(rounds);
}

async function printProfiles(contestants: readonly Contestant[], directory: string, seconds: number): Promise<void> {
  for (const contestant of contestants) {
    const summary = await contestant.profile?.(seconds, directory);
    if (summary !== undefined) console.log(`${summary}\n`);
  }
}
