import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { objectIdOf } from "@sallyport/storage";
import { getRequests, json, type Scenario, smallRows, spreadIndexes } from "../comparison/bench-environment.ts";
import { logInRequest } from "../comparison/log-in.ts";
import { atMost } from "../comparison/outcome.ts";
import { FileClient, mebibyte } from "../processes/file-client.ts";

/** Milliseconds in which a heap that has grown must have shrunk. */
const rest = 60_000;
const uploads = 16;
const macros = fileURLToPath(new URL("../../macros", import.meta.url));

/** The memory of one process after each kind of load, and whether it gives back what it took. */
export const memoryScenario: Scenario = {
  name: "memory",
  async run(bench, { rounds, seconds, quick }) {
    const { schema, appKey, firstArticle, articles } = await bench.smallSchema();
    const { headers } = await bench.runningProduct();
    const directory = await mkdtemp(join(tmpdir(), "bench-memory-"));
    try {
      const settings = { files: { directory }, macros: { directory: macros } };
      const product = await bench.startProduct({ "": schema }, settings);
      const load = (name: string, requests: Parameters<typeof bench.loaded>[2]) =>
        bench.loaded(name, product, requests).measure(rounds * seconds);
      const resident = async () => (await product.process.ask("sample")).residentMemory / mebibyte;
      const files = new FileClient(product.address, headers(0));

      await load(
        "read",
        getRequests(
          spreadIndexes(articles).map((place) => `/v1/object/${objectIdOf(firstArticle + place)}`),
          headers,
        ),
      );
      await load("list", getRequests(["/v1/objects/Article?perPage=100"], headers));
      await load(
        "macro",
        spreadIndexes(articles).map((place) => ({
          method: "POST",
          path: "/v1/execute/Trivial",
          headers: { ...headers(place), ...json },
          body: "null",
        })),
      );
      await Promise.all(Array.from({ length: uploads }, () => files.upload((quick ? 8 : 64) * mebibyte)));
      await load(
        "log-in",
        Array.from({ length: smallRows.users }, (_, index) => logInRequest(appKey, index + 1)),
      );
      const after = await resident();
      await pause(rest);
      const scenario = "reads, lists, macros, uploads and log-ins";
      return [
        { scenario: `memory after ${scenario}`, unit: "MiB", ours: after },
        { scenario: `memory a minute after ${scenario}`, unit: "MiB", ours: await resident(), bound: atMost(200) },
      ];
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};
