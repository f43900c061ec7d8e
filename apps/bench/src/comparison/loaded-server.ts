import type { LoadFigures, LoadGenerator, LoadJob } from "../processes/load-generator.ts";
import type { BenchDatabase } from "../database/bench-database.ts";
import type { MeasuredProcess } from "../processes/measured-process.ts";
import { cpuDuring } from "./cpu-during.ts";
import { profiled } from "./profile.ts";
import type { Candidate, Figures } from "./compare-candidates.ts";

export interface Load extends Pick<LoadJob, "address" | "connections" | "apart" | "once"> {
  /** A function creates single-use requests before each round. */
  readonly requests: LoadJob["requests"] | ((seconds: number) => LoadJob["requests"] | Promise<LoadJob["requests"]>);
  /** Number of operations in one request; the throughput counts operations. Default 1. */
  readonly each?: number;
  /** Expected answers per second. If given, a round ends after a number of answers instead of a time. */
  readonly pace?: number;
}

/** A server under HTTP load. Any failed request fails the measurement. */
export class LoadedServer implements Candidate {
  constructor(
    readonly name: string,
    private readonly server: MeasuredProcess,
    private readonly job: Load,
    private readonly generator: LoadGenerator,
    private readonly database: BenchDatabase,
  ) {}

  async measure(seconds: number): Promise<Figures> {
    const requests = await this.requests(seconds);
    const used = await cpuDuring(this.server, this.database, () => this.load(seconds, requests));
    const load = used.result;
    if (load.failed > 0)
      throw new Error(`${this.name}: ${load.failed} requests of ${load.failed + load.succeeded} failed.`);
    const done = load.succeeded * (this.job.each ?? 1);
    return {
      perSecond: done / load.seconds,
      cpu: used.cpu / done,
      backendCpu: used.backendCpu === null ? null : used.backendCpu / done,
      ...load.latency,
    };
  }

  async profile(seconds: number, directory: string): Promise<string> {
    const requests = await this.requests(seconds);
    return profiled(this.server, this.name, directory, async () => (await this.load(seconds, requests)).succeeded);
  }

  private async requests(seconds: number): Promise<LoadJob["requests"]> {
    const { requests } = this.job;
    return typeof requests === "function" ? requests(seconds) : requests;
  }

  private load(seconds: number, requests: LoadJob["requests"]): Promise<LoadFigures> {
    const { each: _each, pace, ...job } = this.job;
    const answers = pace === undefined ? {} : { answers: Math.max(job.connections, Math.ceil(pace * seconds)) };
    return this.generator.run({ ...job, seconds, ...answers, requests });
  }
}
