import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { objectIdOf } from "@sallyport/core";
import { compared, type Candidate, type ComparisonResult, type Figures } from "../comparison/compare-candidates.ts";
import { atLeast, atMost, type Outcome } from "../comparison/outcome.ts";
import { connections, comparison, gets, json, type RunningServer, scattered } from "../comparison/bench-environment.ts";
import { LoadGenerator, type LoadRequest, send } from "../processes/load-generator.ts";
import { pollUntil } from "../processes/measured-process.ts";

const directory = fileURLToPath(new URL("../../macros", import.meta.url));
/** Reads of one execution. */
const reads = 3;

/** Macros beside the requests that they could replace, reads beside macros that run away, and a list with a hook. */
export const macroScenario = comparison("macros", async (bench) => {
  const { firstArticle, articles } = await bench.smallSchema();
  const plain = await bench.runningProduct();
  // Of the same schema, so that the sessions are good here, too.
  const product = await bench.startProduct({ "": "sallyport" }, { macros: { directory } });

  const places = scattered(articles);
  const idOf = (place: number) => objectIdOf(firstArticle + (place % articles));
  const idsFrom = (place: number) => Array.from({ length: reads }, (_, more) => idOf(place + more));
  const executions = (name: string, input: (place: number) => unknown = () => null): LoadRequest[] =>
    places.map((place, index) => ({
      method: "POST",
      path: `/v1/execute/${name}`,
      headers: { ...plain.headers(index), ...json },
      body: JSON.stringify(input(place)),
    }));
  const getting = (name: string, server: RunningServer, path: (place: number) => string) =>
    bench.loaded(name, server, gets(places.map(path), plain.headers));
  const list = () => "/v1/objects/Contact?perPage=100";
  const read = getting("read", product, (place) => `/v1/object/${idOf(place)}`);
  const [trivials, runaways] = [executions("Trivial"), executions("Runaway")];

  await requireAnswer(product.address, runaways[0], '"710"');
  await requireAnswer(product.address, gets([list()], plain.headers)[0], '"Label"');
  return {
    candidates: [
      bench.loaded("trivial macro", product, trivials),
      getting("check", product, () => "/_CheckSession"),
      bench.loaded("macro with three reads", product, executions("ThreeReads", idsFrom)),
      read,
      getting("list with a hook", product, list),
      getting("list", plain, list),
      besideRunaways(read, product.address, runaways, () => untilIdle(product.address, trivials[0] as LoadRequest)),
    ],
    lines: [
      { scenario: "trivial macro", ours: "trivial macro", limit: "check", bound: atLeast(0.25) },
      readsInMacro,
      { scenario: "list of 100 with a hook", ours: "list with a hook", limit: "list", bound: atLeast(0.5) },
      latencyBesideRunaways,
    ],
  };
});

/** Milliseconds within which a macro is answered that finds a place at once. */
const atOnce = 50;
/** Milliseconds after which whatever was waiting has been answered. */
const waitTimeout = 120_000;

/** Runaways of clients that are gone still wait for their turn. */
async function untilIdle(address: string, request: LoadRequest): Promise<void> {
  const isIdle = async () => {
    const begun = performance.now();
    const { status } = await send(address, request);
    return status === 200 && performance.now() - begun < atOnce;
  };
  if (!(await pollUntil(isIdle, waitTimeout))) throw new Error("The runaways do not come to an end.");
}

/** Figures of something that does not do what it is there for would mean nothing. */
async function requireAnswer(address: string, request: LoadRequest | undefined, part: string): Promise<void> {
  const answer = await send(address, request as LoadRequest);
  const text = await answer.text();
  if (!text.includes(part)) throw new Error(`The answer to ${request?.path} has no ${part}: ${text.slice(0, 500)}`);
}

/** Objects a second, as one execution reads several. */
function readsInMacro(result: ComparisonResult): Outcome {
  const line = { scenario: "three reads in a macro", ours: "macro with three reads", limit: "read" };
  const alone = compared(result, { ...line, bound: atLeast(0.5) });
  return { ...alone, ours: alone.ours * reads, ratio: (alone.ratio as number) * reads };
}

function latencyBesideRunaways(result: ComparisonResult): Outcome {
  const [ours, limit] = [result.of("read beside runaways").p99, result.of("read").p99];
  const scenario = `p99 of reads beside ${connections} runaways`;
  return { scenario, unit: "ms", ours, limit, limitName: "read", ratio: ours / limit, bound: atMost(3) };
}

/** The runaways begin so many seconds before what is measured, and end as many after. */
const margin = 1;

/**
 * A contestant that is measured beside runaways, which come from a process of their own. `overcome` resolves when nothing
 * is left of them: what is measured next is to find the server as it was.
 */
function besideRunaways(
  measured: Candidate,
  address: string,
  requests: readonly LoadRequest[],
  overcome: () => Promise<void>,
): Candidate {
  return {
    name: `${measured.name} beside runaways`,
    async measure(seconds): Promise<Figures> {
      const generator = new LoadGenerator();
      try {
        const disturbing = generator.run({ address, connections, requests, seconds: seconds + 2 * margin });
        await pause(margin * 1_000);
        const figures = await measured.measure(seconds);
        const { succeeded } = await disturbing;
        // What was measured beside them means nothing if they were refused at once.
        if (succeeded > 0) throw new Error(`${succeeded} runaways were answered with a success.`);
        await overcome();
        return figures;
      } finally {
        generator.close();
      }
    },
  };
}
