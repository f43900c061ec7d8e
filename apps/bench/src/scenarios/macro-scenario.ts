import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { objectIdOf } from "@sallyport/storage";
import {
  compared,
  type Candidate,
  type ComparedLine,
  type ComparisonResult,
  type Figures,
} from "../comparison/compare-candidates.ts";
import { atLeast, atMost, type Outcome } from "../comparison/outcome.ts";
import {
  connections,
  comparison,
  getRequests,
  json,
  type RunningServer,
  spreadIndexes,
} from "../comparison/bench-environment.ts";
import { LoadGenerator, type LoadRequest, send } from "../processes/load-generator.ts";
import { pollUntil } from "../processes/poll-until.ts";

const directory = fileURLToPath(new URL("../../macros", import.meta.url));
/** Milliseconds of CPU time after which a macro fails with 710. */
const cpuTime = 1_000;
/** Reads in one macro execution. */
const readsPerExecution = 3;

/** Macros compared with the requests they replace, reads beside runaway macros, and a list with a hook. */
export const macroScenario = comparison("macros", async (bench) => {
  const { firstArticle, articles } = await bench.smallSchema();
  const plain = await bench.runningProduct();
  // Uses the same schema, so that the sessions are valid here, too.
  const product = await bench.startProduct({ "": "sallyport" }, { macros: { directory, cpuTime: `${cpuTime}ms` } });

  const offsets = spreadIndexes(articles);
  const idOf = (offset: number) => objectIdOf(firstArticle + (offset % articles));
  const idsFrom = (offset: number) => Array.from({ length: readsPerExecution }, (_, index) => idOf(offset + index));
  const executions = (name: string, input: (offset: number) => unknown = () => null): LoadRequest[] =>
    offsets.map((offset, index) => ({
      method: "POST",
      path: `/v1/execute/${name}`,
      headers: { ...plain.headers(index), ...json },
      body: JSON.stringify(input(offset)),
    }));
  const gets = (name: string, server: RunningServer, path: (offset: number) => string) =>
    bench.loaded(name, server, getRequests(offsets.map(path), plain.headers));
  const list = () => "/v1/objects/Contact?perPage=100";
  const read = gets("read", product, (offset) => `/v1/object/${idOf(offset)}`);
  const [trivials, runaways] = [executions("Trivial"), executions("Runaway")];

  const start = performance.now();
  await requireAnswer(product.address, runaways[0], '"710"');
  // A macro that does not exist fails with 710, too.
  if (performance.now() - start < cpuTime) throw new Error("The runaway did not use its CPU time.");
  await requireAnswer(product.address, getRequests([list()], plain.headers)[0], '"Label"');
  return {
    candidates: [
      bench.loaded("trivial macro", product, trivials),
      gets("a session check", product, () => "/_CheckSession"),
      bench.loaded("macro with three reads", product, executions("ThreeReads", idsFrom)),
      read,
      gets("list with a hook", product, list),
      gets("a list", plain, list),
      besideRunaways(read, product.address, runaways, () => waitUntilIdle(product.address, trivials[0] as LoadRequest)),
    ],
    lines: [
      { scenario: "trivial macro", ours: "trivial macro", limit: "a session check", bound: atLeast(0.25, 0.4) },
      (result) =>
        latencyOf(result, { of: "a trivial macro", ours: "trivial macro", limit: "a session check", bound: 2 }),
      readsInMacro,
      { scenario: "list of 100 with a hook", ours: "list with a hook", limit: "a list", bound: atLeast(0.5) },
      (result) =>
        latencyOf(result, {
          of: `reads beside ${connections} runaways`,
          ours: "read beside runaways",
          limit: "read",
          limitName: "reads alone",
          bound: 3,
        }),
    ],
  };
});

/** Answer time in milliseconds of a macro that finds a free worker slot. */
const idleAnswerTime = 50;
/** Milliseconds until every waiting request has been answered. */
const waitTimeout = 120_000;

/** Waits for an idle server: runaway macros of disconnected clients can still be queued. */
async function waitUntilIdle(address: string, request: LoadRequest): Promise<void> {
  const isIdle = async () => {
    const start = performance.now();
    const { status } = await send(address, request);
    return status === 200 && performance.now() - start < idleAnswerTime;
  };
  if (!(await pollUntil(isIdle, waitTimeout))) throw new Error("The runaways do not come to an end.");
}

/** Checks the answer before the measurement: the figures of a failing request would mean nothing. */
async function requireAnswer(address: string, request: LoadRequest | undefined, part: string): Promise<void> {
  const answer = await send(address, request as LoadRequest);
  const text = await answer.text();
  if (!text.includes(part)) throw new Error(`The answer to ${request?.path} has no ${part}: ${text.slice(0, 500)}`);
}

function readsInMacro(result: ComparisonResult): Outcome {
  const line = { scenario: "three reads in a macro", ours: "macro with three reads", limit: "read" };
  const perExecution = compared(result, { ...line, bound: atLeast(0.5) });
  // Objects per second, as one execution reads several.
  return {
    ...perExecution,
    limitName: "three reads",
    ours: perExecution.ours * readsPerExecution,
    ratio: (perExecution.ratio as number) * readsPerExecution,
  };
}

interface LatencyRatio extends Pick<ComparedLine, "ours" | "limit"> {
  readonly of: string;
  readonly limitName?: string;
  readonly bound: number;
}

function latencyOf(result: ComparisonResult, { of, bound, ...names }: LatencyRatio): Outcome {
  const [ours, limit] = [result.of(names.ours).p99, result.of(names.limit).p99];
  const limitName = names.limitName ?? names.limit;
  return { scenario: `p99 of ${of}`, unit: "ms", ours, limit, limitName, ratio: ours / limit, bound: atMost(bound) };
}

/** Seconds for which the runaways run before and after the measurement. */
const margin = 1;

/**
 * Measures a candidate beside runaway macros, which a second load process starts. `untilIdle` resolves when the server
 * is idle again.
 */
function besideRunaways(
  measured: Candidate,
  address: string,
  requests: readonly LoadRequest[],
  untilIdle: () => Promise<void>,
): Candidate {
  return {
    name: `${measured.name} beside runaways`,
    async measure(seconds): Promise<Figures> {
      const generator = new LoadGenerator();
      try {
        const disturbing = generator.run({ address, connections, requests, seconds: seconds + 2 * margin });
        await pause(margin * 1_000);
        const figures = await measured.measure(seconds);
        const { succeeded, latency } = await disturbing;
        // Runaways that are answered earlier, or at all with a success, do not disturb the measurement.
        if (succeeded > 0) throw new Error(`${succeeded} runaways were answered with a success.`);
        if (latency.p50 < cpuTime) throw new Error(`Half of the runaways were answered within ${latency.p50} ms.`);
        await untilIdle();
        return figures;
      } finally {
        generator.close();
      }
    },
  };
}
