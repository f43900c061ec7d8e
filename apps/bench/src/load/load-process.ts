/** The process that makes the load, so that it shares no thread with anything measured. */
import autocannon from "autocannon";
import type { LoadFigures, LoadJob } from "./load-job.ts";

async function run({ address, connections, seconds, answers, requests }: LoadJob): Promise<LoadFigures> {
  const sent = requests.map(({ method, path, headers, body }) => ({ method, path, headers, ...(body === undefined ? {} : { body }) }));
  let clients = 0;
  const startedAt = performance.now();
  let lastAnswerAt = startedAt;
  const options: autocannon.Options = {
    url: address,
    connections,
    ...(answers === undefined ? { duration: seconds } : { amount: answers }),
    setupClient: (client) => {
      const first = Math.floor((clients * sent.length) / connections);
      clients += 1;
      client.setRequests([...sent.slice(first), ...sent.slice(0, first)]);
    },
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(options, (error, given) => (error === null ? resolve(given) : reject(error)));
    // The load generator itself looks at the clock once a second only.
    running.on("response", () => {
      lastAnswerAt = performance.now();
    });
  });
  return {
    succeeded: result["2xx"],
    failed: result.non2xx + result.errors + result.timeouts,
    seconds: (lastAnswerAt - startedAt) / 1000,
    latency: { p50: result.latency.p50, p99: result.latency.p99 },
  };
}

process.on("message", (job: LoadJob) => {
  void run(job).then(
    (figures) => process.send?.({ figures }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
// A bench that was killed must not leave its load running.
process.on("disconnect", () => process.exit(0));
