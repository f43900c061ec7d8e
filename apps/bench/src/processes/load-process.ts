/** The load generator process. It shares no thread with the measured programs. */
import autocannon from "autocannon";
import type { LoadFigures, LoadJob, LoadRequest } from "../processes/load-generator.ts";

/** The requests of one connection in autocannon's format. */
function requestsOfConnection(requests: readonly LoadRequest[]): autocannon.Request[] {
  let etag: string | undefined;
  const condition: autocannon.Request = {
    setupRequest: (request) =>
      etag === undefined ? request : { ...request, headers: { ...request.headers, "if-match": etag } },
    onResponse: (_status, _body, _context, headers) => {
      etag = new Map(Object.entries(headers ?? {})).get("etag") as string | undefined;
    },
  };
  return requests.map(({ method, path, headers, body, conditional }) => ({
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(conditional ? condition : {}),
  }));
}

async function run({ address, connections, seconds, answers, requests, apart, once }: LoadJob): Promise<LoadFigures> {
  let clients = 0;
  const startedAt = performance.now();
  let lastAnswerAt = startedAt;
  // Each connection gets the same number of answers, so equal shares keep the connections apart.
  const share = once ? requests.length / connections : apart ? 1 : requests.length;
  const amount = once ? requests.length : answers;
  const options: autocannon.Options = {
    url: address,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    setupClient: (client) => {
      const first = Math.floor((clients * requests.length) / connections);
      clients += 1;
      const turned = [...requests.slice(first), ...requests.slice(0, first)];
      client.setRequests(requestsOfConnection(turned.slice(0, share)));
    },
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(options, (error, figures) => (error === null ? resolve(figures) : reject(error)));
    // Autocannon itself checks the clock only once a second.
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
// A killed bench must not leave its load running.
process.on("disconnect", () => process.exit(0));
