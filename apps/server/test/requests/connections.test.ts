import { createLogger } from "../../src/monitoring/create-logger.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { testEnvironment, tuned, tuningOf } from "../test-environment.ts";
import { type RawExchange, rawExchange } from "@sallyport/testing/acceptance";

const check = ["GET /_CheckService HTTP/1.1", "Host: localhost"];
const head = (...lines: string[]) => [...lines, "", ""].join("\r\n");

interface Watched extends RunningServer {
  /** The log so far. */
  readonly lines: Record<string, unknown>[];
}

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const pipelined = tuned({ http: { maxPipelinedRequests: 2 } });

/** A server with a database in memory. */
async function serve(environment: Record<string, string> = {}): Promise<Watched> {
  const lines: Record<string, unknown>[] = [];
  const content = { databases: [{ storage: { engine: "memory" } }] };
  const configuration = loadConfiguration({
    content,
    environment: { ...testEnvironment, LOG_LEVEL: "info", ...environment },
  });
  const { logger } = createLogger(configuration, { write: (line) => void lines.push(JSON.parse(line)) });
  const server = await startServer(configuration, logger, undefined, undefined, tuningOf(environment));
  servers.push(server);
  return { ...server, lines };
}

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly code: string;
}

/** The answers in a text; throws on anything else. */
function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n");
    const top = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(top)?.[1]);
    const length = Number(/^content-length: (\d+)$/im.exec(top)?.[1]);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status, head: top, code: JSON.parse(body).status.internalStatus });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

const seen = async (exchange: RawExchange) =>
  answersIn(await exchange.ended).map(({ status, code }) => `${status}/${code}`);
const closing = /^connection: close$/im;

/** A request whose answer ends the connection, because the client may or may not send a body. */
const asking = (method: string) => [`${method} /nothing HTTP/1.1`, "Host: localhost", "Expect: 100-continue"];

describe("pipelined requests", () => {
  test("are served in turn, with any limit of requests in progress", async () => {
    const { url } = await serve({ MAX_REQUESTS_IN_FLIGHT: "1" });
    const exchange = await rawExchange(url, check);
    exchange.send(head(...check).repeat(3));
    exchange.send(head(...check, "Connection: close"));
    expect(await seen(exchange)).toEqual(Array<string>(5).fill("200/0"));
  });

  test("are limited in number, and the last answer announces it", async () => {
    const { url } = await serve(pipelined);
    const exchange = await rawExchange(url, [
      ...check,
      "",
      head(...check)
        .repeat(4)
        .trimEnd(),
    ]);
    const answers = answersIn(await exchange.ended);
    expect(answers.map(({ head: top }) => closing.test(top))).toEqual([false, false, true]);
  });

  test("are cut off when far too many", async () => {
    const { url, lines } = await serve(pipelined);
    const exchange = await rawExchange(url, [
      ...check,
      "",
      head(...check)
        .repeat(400)
        .trimEnd(),
    ]);
    await exchange.ended;
    await fetch(`${url}/_CheckService`);
    expect(lines.filter(({ msg }) => msg === "Request completed").length).toBeLessThanOrEqual(3);
  });

  test.each([
    ["before they are read", [...asking("POST"), "Content-Length: 2", ""], "{}"],
    ["after they were read", asking("GET"), "\r\n"],
  ])("do not count as work when the previous answer ends the connection %s", async (_title, first, body) => {
    const { url } = await serve();
    const exchange = await rawExchange(url, [...first, `${body}${head(...check)}${check.join("\r\n")}`]);
    expect(await seen(exchange)).toEqual(["404/304"]);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^sallyport_requests_in_flight 0$/m);
  });

  test("are separated from the bodies before them", async () => {
    const { url } = await serve();
    const post = ["POST /_CheckService HTTP/1.1", "Host: localhost", "Content-Length: 3", ""];
    const exchange = await rawExchange(url, [
      ...post,
      `GET${head(...check)}${check.join("\r\n")}`,
      "Connection: close",
    ]);
    expect(await seen(exchange)).toEqual(["405/305", "200/0", "200/0"]);
  });
});

describe("invalid HTTP", () => {
  test.each([
    ["on a connection that was in use", false],
    ["directly after a request", true],
  ])("is refused %s, after pending answers", async (_title, atOnce) => {
    const { url } = await serve();
    const exchange = await rawExchange(url, atOnce ? [...check, "", ...check, "", "rubbish"] : check);
    if (!atOnce) {
      await exchange.received(/"internalStatus":"0"/);
      exchange.send(head(...check));
      await exchange.received(/"internalStatus":"0"[^]*"internalStatus":"0"/);
      exchange.send(head("rubbish"));
    }
    const answers = answersIn(await exchange.ended);
    expect(answers.map(({ status, code }) => `${status}/${code}`)).toEqual(["200/0", "200/0", "400/699"]);
    expect(answers.map(({ head: top }) => closing.test(top))).toEqual([false, false, true]);
  });

  test("is refused once, and the rest is ignored", async () => {
    const { url } = await serve();
    const exchange = await rawExchange(url, ["rubbish"]);
    exchange.send("rubbish\r\n\r\n".repeat(10));
    await exchange.received(/"699"/);
    exchange.send(head(...check));
    expect(await seen(exchange)).toEqual(["400/699"]);
  });

  test("in the rest of an answered request ends the connection silently", async () => {
    const { url } = await serve();
    const exchange = await rawExchange(url, [
      "POST /nothing HTTP/1.1",
      "Host: localhost",
      "Transfer-Encoding: chunked",
    ]);
    await exchange.received(/"304"/);
    exchange.send("zz\r\n");
    expect(await seen(exchange)).toEqual(["404/304"]);
  });

  test("in place of a tunnel is refused, after pending answers", async () => {
    const { url } = await serve();
    const exchange = await rawExchange(url, [
      ...check,
      "",
      "CONNECT localhost:443 HTTP/1.1",
      "Host: localhost",
      "",
      "\u0016\u0003\u0001",
    ]);
    expect(await seen(exchange)).toEqual(["200/0", "400/699"]);
  });

  test("is refused when it does not end", async () => {
    const { url } = await serve(tuned({ http: { headersTimeout: 100 } }));
    const exchange = await rawExchange(url, check);
    exchange.send("GET /_CheckService HTTP/1.1\r\nHost: loc");
    expect(await seen(exchange)).toEqual(["200/0", "400/699"]);
  });

  test("is logged and counted once", async () => {
    const { url, lines } = await serve();
    const requests = [
      "rubbish",
      "GET / HTTP/1.1",
      "CONNECT a:1 HTTP/1.1\r\nHost: a",
      `${check.join("\r\n")}\r\nExpect: tea`,
    ];
    for (const request of requests) await (await rawExchange(url, [request])).ended;
    const refused = lines.filter(({ code }) => code === 699);
    expect(refused.map(({ detail }) => detail)).toEqual([
      "HPE_INVALID_METHOD",
      "The request must have exactly one Host header.",
      "CONNECT",
      "The expectation cannot be met.",
    ]);
    for (const line of refused) {
      expect(line).toMatchObject({
        msg: "Request completed",
        status: 400,
        route: null,
        address: "127.0.0.1",
        requestId: expect.stringMatching(/./),
      });
    }
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('sallyport_requests_total{route="none",method="any",status="400",code="699"} 4');
  });
});

test.each(["/healthz", "/readyz", "/metrics"])("%s carries the id of the request", async (path) => {
  const { url } = await serve();
  expect((await fetch(url + path, { headers: { "x-request-id": "my-request" } })).headers.get("x-request-id")).toBe(
    "my-request",
  );
  expect((await fetch(url + path)).headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
});

test.each(["/healthz", "/readyz", "/metrics"])("HEAD of %s is answered like GET, without a body", async (path) => {
  const { url } = await serve();
  const [got, head] = await Promise.all([fetch(url + path), fetch(url + path, { method: "HEAD" })]);
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const name of ["content-type", "cache-control", "x-content-type-options"])
    expect(head.headers.get(name)).toBe(got.headers.get(name));
  expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
});

describe("metrics", () => {
  const metrics = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/metrics`, { headers }).then(({ status }) => status);
  const ready = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/readyz`, { headers }).then((answer) => answer.json());

  test.each(["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"])(
    "are hidden from a request with %s of an unconfigured proxy",
    async (name) => {
      const { url } = await serve();
      const headers = { [name]: "127.0.0.1" };
      expect([await metrics(url, {}), await metrics(url, headers)]).toEqual([200, 404]);
      expect([await ready(url, {}), await ready(url, headers)]).toEqual([
        { ready: true, databases: { "(empty)": "ok" } },
        { ready: true },
      ]);
    },
  );

  test("are shown to clients on this machine behind a configured proxy, and to no unknown ones", async () => {
    const { url } = await serve({ TRUSTED_PROXIES: "127.0.0.1" });
    const shown = async (...forwarded: string[]) =>
      Promise.all(forwarded.map((each) => metrics(url, { "x-forwarded-for": each })));
    expect(await shown("127.0.0.1", "127.0.0.1:51234", "[::1]:51234")).toEqual([200, 200, 200]);
    expect(await shown("127.0.0.1, 192.0.2.1", "192.0.2.1:51234", "[2001:db8::1]:51234")).toEqual([404, 404, 404]);
    expect(await shown("unknown", "127.0.0.1,", "127.1", "192.0.2.1, x, 127.0.0.1")).toEqual([404, 404, 404, 404]);
    expect(await metrics(url, {})).toBe(404);
  });

  test("are shown to everyone if they are public, but not the states of databases", async () => {
    const { url } = await serve({ TRUSTED_PROXIES: "127.0.0.1", METRICS_ACCESS: "any" });
    const [here, outside] = [{ "x-forwarded-for": "127.0.0.1" }, { "x-forwarded-for": "192.0.2.1" }];
    expect([await metrics(url, here), await metrics(url, outside), await metrics(url, {})]).toEqual([200, 200, 200]);
    expect([await ready(url, here), await ready(url, outside), await ready(url, {})]).toEqual([
      { ready: true, databases: { "(empty)": "ok" } },
      { ready: true },
      { ready: true },
    ]);
  });

  test("are hidden from everyone if they are off, and so are the states of databases", async () => {
    const { url } = await serve({ METRICS_ACCESS: "off" });
    expect([await metrics(url, {}), await ready(url, {})]).toEqual([404, { ready: true }]);
  });
});

describe("chunked bodies", () => {
  test("of refused requests are read up to 8 MiB", async () => {
    const { url } = await serve();
    const exchange = await rawExchange(url, [
      "POST /nothing HTTP/1.1",
      "Host: localhost",
      "Transfer-Encoding: chunked",
    ]);
    await exchange.received(/"304"/);
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
    let sent = 0;
    const sending = setInterval(() => {
      for (let count = 0; count < 16; count += 1) exchange.send(chunk);
      sent += 1;
    }, 5);
    expect(await seen(exchange)).toEqual(["404/304"]);
    clearInterval(sending);
    expect(sent).toBeGreaterThanOrEqual(8);
  });

  test("of one-byte chunks end the connection, and other connections of the network are still served", async () => {
    const { url } = await serve();
    const open = await rawExchange(url, check);
    await open.received(/"internalStatus":"0"/);
    const exchange = await rawExchange(url, [
      "POST /nothing HTTP/1.1",
      "Host: localhost",
      "Transfer-Encoding: chunked",
    ]);
    exchange.send("1\r\n \r\n".repeat(2_000));
    expect(await seen(exchange)).toEqual(["404/304"]);
    open.send(head(...check, "Connection: close"));
    expect(await seen(open)).toEqual(["200/0", "200/0"]);
    expect(await seen(await rawExchange(url, [...check, "Connection: close"]))).toEqual(["200/0"]);
  });
});

describe("connections", () => {
  test("of one network are limited, except those of a proxy", async () => {
    const { url } = await serve({ MAX_CONNECTIONS_PER_IP: "1" });
    const taken = await rawExchange(url, check);
    await taken.received(/"internalStatus":"0"/);
    expect(await (await rawExchange(url, check)).ended).toBe("");
    taken.close();

    const behindProxy = await serve({ MAX_CONNECTIONS_PER_IP: "1", TRUSTED_PROXIES: "127.0.0.1" });
    for (const exchange of [await rawExchange(behindProxy.url, check), await rawExchange(behindProxy.url, check)]) {
      await exchange.received(/"internalStatus":"0"/);
    }
  });

  test("are limited in number, and accepted again when others end", async () => {
    const { url } = await serve({ MAX_CONNECTIONS: "2" });
    const taken = [await rawExchange(url, check), await rawExchange(url, check)];
    for (const exchange of taken) await exchange.received(/"internalStatus":"0"/);
    expect(await (await rawExchange(url, check)).ended).toBe("");
    taken[0]?.close();
    let answer = "";
    while (answer === "") {
      const next = await rawExchange(url, [...check, "Connection: close"]);
      answer = await next.ended;
    }
    expect(answersIn(answer)).toMatchObject([{ status: 200, code: "0" }]);
    taken[1]?.send(head("GET /metrics HTTP/1.1", "Host: localhost"));
    expect(await taken[1]?.received(/connections_dropped_total \d/)).toMatch(
      /^sallyport_connections_dropped_total [1-9]/m,
    );
  });

  test("with half a request do not delay a stop", async () => {
    const server = await serve({ DRAIN_TIMEOUT: "10m" });
    const exchange = await rawExchange(server.url, check);
    await exchange.received(/"internalStatus":"0"/);
    exchange.send("GET /_CheckService HTTP/1.1\r\nHost: loc");
    await fetch(`${server.url}/healthz`);
    await server.close();
    expect(await seen(exchange)).toEqual(["200/0"]);
  });
});
