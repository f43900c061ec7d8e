import { fileURLToPath } from "node:url";
import { objectIdOf } from "@sallyport/core";
import { compared, type Contestant, type ContestResult, type Figures, holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import type { Outcome } from "../contest/outcome.ts";
import { connections, scattered, type Scenario } from "../contest/stage.ts";
import { type LoadFigures, LoadGenerator, type LoadJob, type LoadRequest } from "../processes/load-generator.ts";
import { pollUntil } from "../processes/measured-process.ts";

const directory = fileURLToPath(new URL("../../macros", import.meta.url));
const list = "/v1/objects/Contact?perPage=100";
/** Reads of one execution. */
const reads = 3;
const runaways = 32;

/** Macros beside the requests that they could replace, reads beside macros that run away, and a list with a hook. */
export const macroScenario: Scenario = {
  name: "macros",
  async run(stage, plan) {
    const { firstArticle, articles, appKey } = await stage.smallSchema();
    const plain = await stage.runningProduct();
    // Of the same schema, so that the sessions are good here, too.
    const product = await stage.startProduct({ "": "sallyport" }, { macros: { directory } });

    const headersOf = (index: number) => ({
      appkey: appKey,
      sessionid: plain.sessionIds[index % plain.sessionIds.length] ?? "",
    });
    const places = scattered(articles);
    const idOf = (place: number) => objectIdOf(firstArticle + (place % articles));
    const gets = (path: (place: number) => string): LoadRequest[] =>
      places.map((place, index) => ({ method: "GET", path: path(place), headers: headersOf(index) }));
    const executions = (name: string, input: (place: number) => unknown): LoadRequest[] =>
      places.map((place, index) => ({
        method: "POST",
        path: `/v1/execute/${name}`,
        headers: { ...headersOf(index), "content-type": "application/json" },
        body: JSON.stringify(input(place)),
      }));
    const loaded = (
      name: string,
      { process, address }: Pick<typeof product, "process" | "address">,
      requests: LoadRequest[],
    ) => new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    const read = loaded(
      "read",
      product,
      gets((place) => `/v1/object/${idOf(place)}`),
    );
    const beside = new Disturbed(
      "read beside runaways",
      read,
      {
        address: product.address,
        connections: runaways,
        requests: executions("Runaway", () => null),
      },
      () => untilIdle(product.address, executions("Trivial", () => null)[0] as LoadRequest),
    );

    await requireAnswer(product.address, executions("Runaway", () => null)[0], '"710"');
    await requireAnswer(product.address, gets(() => list)[0], '"Label"');
    const result = await holdContest(
      [
        loaded(
          "trivial macro",
          product,
          executions("Trivial", () => null),
        ),
        loaded(
          "check",
          product,
          gets(() => "/_CheckSession"),
        ),
        loaded(
          "macro with three reads",
          product,
          executions("ThreeReads", (place) => Array.from({ length: reads }, (_, more) => idOf(place + more))),
        ),
        read,
        loaded(
          "list with a hook",
          product,
          gets(() => list),
        ),
        loaded(
          "list",
          plain,
          gets(() => list),
        ),
        beside,
      ],
      plan,
    );
    // Whatever was measured beside them means nothing if they were refused at once.
    const answered = beside.disturbances.reduce((sum, { succeeded }) => sum + succeeded, 0);
    if (answered > 0) throw new Error(`${answered} runaways were answered with a success.`);
    return [
      compared(result, {
        scenario: "trivial macro",
        ours: "trivial macro",
        limit: "check",
        bound: { direction: "atLeast", wanted: 0.25 },
      }),
      readsInMacro(result),
      compared(result, {
        scenario: "list of 100 with a hook",
        ours: "list with a hook",
        limit: "list",
        bound: { direction: "atLeast", wanted: 0.5 },
      }),
      latencyBesideRunaways(result),
    ];
  },
};

/** Milliseconds within which a macro is answered that finds a place at once. */
const atOnce = 50;
/** Milliseconds after which whatever was waiting has been answered. */
const patience = 120_000;

/** Runaways of clients that are gone still wait for their turn. */
async function untilIdle(address: string, { path, method, headers, body }: LoadRequest): Promise<void> {
  const isIdle = async () => {
    const begun = performance.now();
    const { status } = await fetch(address + path, { method, headers, body: body ?? null });
    return status === 200 && performance.now() - begun < atOnce;
  };
  if (!(await pollUntil(isIdle, patience))) throw new Error("The runaways do not come to an end.");
}

/** Figures of something that does not do what it is there for would mean nothing. */
async function requireAnswer(address: string, request: LoadRequest | undefined, part: string): Promise<void> {
  const { path, method, headers, body } = request as LoadRequest;
  const answer = await fetch(address + path, { method, headers, body: body ?? null });
  const text = await answer.text();
  if (!text.includes(part)) throw new Error(`The answer to ${path} has no ${part}: ${text.slice(0, 500)}`);
}

/** Objects a second, as one execution reads several. */
function readsInMacro(result: ContestResult): Outcome {
  const alone = compared(result, {
    scenario: "three reads in a macro",
    ours: "macro with three reads",
    limit: "read",
    bound: { direction: "atLeast", wanted: 0.5 },
  });
  return { ...alone, ours: alone.ours * reads, ratio: (alone.ratio as number) * reads };
}

function latencyBesideRunaways(result: ContestResult): Outcome {
  const [ours, limit] = [result.of("read beside runaways").p99, result.of("read").p99];
  return {
    scenario: `p99 of reads beside ${runaways} runaways`,
    unit: "ms",
    ours,
    limit,
    limitName: "read",
    ratio: ours / limit,
    bound: { direction: "atMost", wanted: 3 },
  };
}

/** The disturbance begins so many seconds before what is measured, and ends as many after. */
const margin = 1;

/** A contestant that is measured while another load does what it does, from a process of its own. */
class Disturbed implements Contestant {
  readonly disturbances: LoadFigures[] = [];

  constructor(
    readonly name: string,
    private readonly measured: Contestant,
    private readonly disturbance: Pick<LoadJob, "address" | "connections" | "requests">,
    /** Resolves when nothing is left of the disturbance: what is measured next is to find the server as it was. */
    private readonly overcome: () => Promise<void>,
  ) {}

  async measure(seconds: number): Promise<Figures> {
    const generator = new LoadGenerator();
    try {
      const disturbing = generator.run({ ...this.disturbance, seconds: seconds + 2 * margin });
      await new Promise((begun) => {
        setTimeout(begun, margin * 1_000);
      });
      const figures = await this.measured.measure(seconds);
      this.disturbances.push(await disturbing);
      await this.overcome();
      return figures;
    } finally {
      generator.close();
    }
  }
}
