/** The process that makes the load, so that it shares no thread with anything measured. */
import autocannon from "autocannon";
import type { LoadFigures, LoadJob } from "./load-job.ts";

async function run({ address, connections, seconds, answers, requests }: LoadJob): Promise<LoadFigures> {
  const sent = requests.map(({ method, path, headers, body }) => ({ method, path, headers, ...(body === undefined ? {} : { body }) }));
  let clients = 0;
  const result = await autocannon({
    url: address,
    connections,
    ...(answers === undefined ? { duration: seconds } : { amount: answers }),
    setupClient: (client) => {
      const first = Math.floor((clients * sent.length) / connections);
      clients += 1;
      client.setRequests([...sent.slice(first), ...sent.slice(0, first)]);
    },
  });
  return {
    succeeded: result["2xx"],
    failed: result.non2xx + result.errors + result.timeouts,
    seconds: result.duration,
    latency: { p50: result.latency.p50, p99: result.latency.p99 },
  };
}

process.on("message", (job: LoadJob) => {
  void run(job).then(
    (figures) => process.send?.({ figures }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
