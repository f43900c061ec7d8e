import { Agent, request } from "node:http";
import { backendCpu, backendCpuBetween } from "../postgres/backend-cpu.ts";
import type { BenchDatabase } from "../postgres/bench-database.ts";
import type { MeasuredProcess } from "../processes/measured-process.ts";
import type { Contestant } from "./contestant.ts";
import type { Figures } from "./figures.ts";

/** A request that is good once. */
export interface SpentRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A server that is asked with requests of which each is good once, made before the clock runs. The seconds of a round say how many
 * there are, not how long they take. An answer other than a success spoils the measurement.
 */
export class SpentRequests implements Contestant {
  private readonly agent: Agent;

  constructor(
    readonly name: string,
    private readonly server: MeasuredProcess,
    private readonly job: { readonly connections: number; readonly perSecond: number; readonly prepare: (count: number) => Promise<readonly SpentRequest[]> },
    private readonly database: BenchDatabase,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: job.connections });
  }

  async measure(seconds: number): Promise<Figures> {
    const { connections, perSecond, prepare } = this.job;
    const requests = [...(await prepare(Math.ceil(seconds * perSecond)))];
    const count = requests.length;
    const latencies: number[] = [];
    const before = await this.sample();
    const start = performance.now();
    const sendAll = async () => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
        const sent = performance.now();
        const status = await this.send(next);
        if (status !== 200) throw new Error(`${this.name}: a request was answered ${status}.`);
        latencies.push(performance.now() - sent);
      }
    };
    await Promise.all(Array.from({ length: connections }, sendAll));
    const taken = (performance.now() - start) / 1000;
    const after = await this.sample();
    const backend = before.backend === null || after.backend === null ? null : backendCpuBetween(before.backend, after.backend);
    latencies.sort((a, b) => a - b);
    const at = (part: number) => latencies[Math.min(count - 1, Math.floor(count * part))] ?? Number.NaN;
    return { perSecond: count / taken, cpu: (after.cpu - before.cpu) / count, backendCpu: backend === null ? null : backend / count, p50: at(0.5), p99: at(0.99) };
  }

  private send({ method, url, headers, body }: SpentRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      const asked = request(url, { method, headers, agent: this.agent }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      });
      asked.on("error", reject).end(body);
    });
  }

  private async sample(): Promise<{ cpu: number; backend: ReadonlyMap<number, number> | null }> {
    const [{ cpu }, backend] = await Promise.all([this.server.ask({ ask: "sample" }), this.database.backends().then((pids) => backendCpu(pids))]);
    return { cpu, backend };
  }
}
