import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { call, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { type RawExchange, rawExchange } from "@sallyport/testing/acceptance";
import { tuned } from "../test-environment.ts";

const body = JSON.stringify({ user: "demo", pass: "demo", appNames: "demo-app" });
const asIfFrom = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });

/** Sends the head of a log-in. */
function begin(server: RunningServer, headers: Record<string, string> = {}): Promise<RawExchange> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return rawExchange(server.url, [
    "POST /v1/login HTTP/1.1",
    "Host: localhost",
    "appkey: demo-app-key",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    ...lines,
  ]);
}

/** Sends the head of a log-in, and resolves when the server waits for the body. */
async function awaited(server: RunningServer, headers: Record<string, string> = {}): Promise<RawExchange> {
  const exchange = await begin(server, { Expect: "100-continue", ...headers });
  await exchange.received(/100 Continue/);
  return exchange;
}

/** Sends the body of a log-in: the answer. */
async function logInOver(exchange: RawExchange): Promise<string> {
  exchange.send(body);
  const answer = await exchange.received(/"internalStatus":"\d+"/);
  exchange.close();
  return answer;
}

async function metric({ url }: RunningServer, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Limits of incomplete bodies. */
const bodies = (maxIncompleteBodies: { readonly perIp: number; readonly total?: number }) =>
  tuned({ http: { maxIncompleteBodies } });

describe("slow clients", () => {
  let postgres: PostgresFixture;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
  }, 60_000);
  afterAll(() => postgres.close());

  test("occupy no request slot while their bodies are incomplete", async () => {
    const server = await postgres.demo({ MAX_REQUESTS_IN_FLIGHT: "1" });
    const slow = [await awaited(server), await awaited(server), await awaited(server)];
    expect(await metric(server, "sallyport_incomplete_bodies")).toBe(3);
    expect(await metric(server, "sallyport_requests_in_flight")).toBe(0);
    expect(await call(server, "/_CheckService")).toMatchObject({ status: 200 });
    expect((await tryLogIn(server, "reader")).code).toBe("0");
    for (const exchange of slow) {
      exchange.send(body);
      await exchange.received(/"internalStatus":"0"/);
      exchange.close();
    }
    expect(await metric(server, "sallyport_incomplete_bodies")).toBe(0);
    await server.close();
  });

  test("of one network are refused before they affect others", async () => {
    const server = await postgres.demo({ ...bodies({ perIp: 2 }), TRUSTED_PROXIES: "127.0.0.1" });
    const first = await awaited(server, asIfFrom("2001:db8:1:1::1"));
    const second = await awaited(server, asIfFrom("2001:db8:1:1::2"));
    const third = await begin(server, asIfFrom("2001:db8:1:1:ffff::3"));
    expect(await third.received(/"706"/)).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 1\r\n/i);
    const otherNetwork = await awaited(server, asIfFrom("2001:db8:1:2::1"));
    // A complete body is not counted.
    expect((await tryLogIn(server, "demo", {}, asIfFrom("2001:db8:1:1::1"))).code).toBe("0");

    second.send(body);
    await second.received(/"internalStatus":"0"/);
    const fourth = await awaited(server, asIfFrom("2001:db8:1:1::4"));
    for (const exchange of [first, second, third, fourth, otherNetwork]) exchange.close();
    await server.close();
  });

  test("of all networks together are refused before they fill the memory", async () => {
    const server = await postgres.demo({
      ...bodies({ perIp: 1, total: 2 }),
      TRUSTED_PROXIES: "127.0.0.1",
    });
    const slow = [await awaited(server, asIfFrom("192.0.2.1")), await awaited(server, asIfFrom("192.0.2.2"))];
    const third = await begin(server, asIfFrom("192.0.2.3"));
    expect(await third.received(/"706"/)).toMatch(/^HTTP\/1.1 503 /);
    expect((await tryLogIn(server, "demo", {}, asIfFrom("192.0.2.3"))).code).toBe("0");
    for (const exchange of [...slow, third]) exchange.close();
    await server.close();
  });

  test("that disconnect free their slot", async () => {
    const server = await postgres.demo(bodies({ perIp: 1 }));
    const first = await awaited(server);
    const refused = await begin(server);
    expect(await refused.received(/"706"/)).toMatch(/^HTTP\/1.1 503 /);
    first.close();
    await until(async () => (await metric(server, "sallyport_incomplete_bodies")) === 0);
    await expect(logInOver(await awaited(server))).resolves.toMatch(/"internalStatus":"0"/);
    await server.close();
  });

  test("that disconnect before their body is awaited occupy no slot", async () => {
    const server = await postgres.demo(bodies({ perIp: 1 }));
    await postgres.sql.query("begin; lock table sallyport_demo.app_keys");
    const exchange = await begin(server);
    await until(async () => (await metric(server, "sallyport_requests_in_flight")) !== 0);
    const connections = await metric(server, "sallyport_connections");
    exchange.reset();
    // The request itself stays in progress as long as its admission waits for the table.
    await until(async () => (await metric(server, "sallyport_connections")) < connections);
    await postgres.sql.query("rollback");
    await expect(logInOver(await awaited(server))).resolves.toMatch(/"internalStatus":"0"/);
    await server.close();
  });

  test("have a separate time limit for the body of a log-in", async () => {
    const server = await postgres.demo({ BODY_TIMEOUT: "100ms", REQUEST_TIMEOUT: "1h" });
    const exchange = await begin(server);
    exchange.send(body.slice(1));
    const answer = await exchange.received(/"699"/);
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*connection: close\r\n/i);
    await exchange.ended;
    await server.close();
  });

  test("with bodies in one-byte chunks are refused", async () => {
    const server = await postgres.demo();
    const head = [
      "POST /v1/login HTTP/1.1",
      "Host: localhost",
      "appkey: demo-app-key",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const small = await rawExchange(server.url, head);
    small.send([...body].map((byte) => `1\r\n${byte}\r\n`).join(""));
    small.send("0\r\n\r\n");
    await small.received(/"internalStatus":"0"/);
    small.close();

    const exchange = await rawExchange(server.url, head);
    exchange.send("1\r\n{\r\n".repeat(20_000));
    expect(await exchange.received(/"699"/)).toMatch(/^HTTP\/1.1 400 [^]*connection: close\r\n/i);
    await exchange.ended;
    // Other clients behind the same address are still served.
    expect((await tryLogIn(server, "demo")).code).toBe("0");
    await server.close();
  });

  test("delay a stop only by the time to answer them", async () => {
    const server = await postgres.demo({ DRAIN_TIMEOUT: "10m" });
    const half = await begin(server);
    half.send(body);
    await half.received(/"internalStatus":"0"/);
    half.send("POST /v1/login HTTP/1.1\r\nHost: loc");
    await call(server, "/_CheckService");
    await server.close();
    expect((await half.ended).match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
  });

  test("that do not read count for their network, not as requests in progress", async () => {
    const server = await postgres.demo({
      MAX_REQUESTS_IN_FLIGHT: "2",
      ...tuned({ http: { maxSendBufferBytes: { perIp: 65_536 } } }),
      METRICS_ACCESS: "any",
      TRUSTED_PROXIES: "127.0.0.1",
    });
    await postgres.sql.query(
      "update sallyport_demo.objects set attributes = jsonb_set(attributes, '{Name}', to_jsonb(repeat('x', 500000))) where class = 'Customer'",
    );
    const sessionId = (await tryLogIn(server, "reader", {}, asIfFrom("192.0.2.1"))).body.data.sessionId as string;
    const from = (address: string) => Object.entries(asIfFrom(address)).map(([name, value]) => `${name}: ${value}`);
    const unread = await rawExchange(
      server.url,
      [
        "GET /v1/objects/Customer?perPage=30 HTTP/1.1",
        "Host: localhost",
        "appkey: demo-app-key",
        `sessionid: ${sessionId}`,
        ...from("192.0.2.1"),
      ],
      { unread: true },
    );
    const check = (address: string) => call(server, "/_CheckService", { headers: asIfFrom(address) });
    let sameNetwork = await check("192.0.2.1");
    while (sameNetwork.status === 200) sameNetwork = await check("192.0.2.1");
    expect(sameNetwork).toMatchObject({ status: 503, code: "706" });
    expect(await check("192.0.2.2")).toMatchObject({ status: 200 });
    await until(async () => (await metric(server, "sallyport_requests_in_flight")) === 0);
    expect(await metric(server, "sallyport_send_buffer_bytes")).toBeGreaterThan(1_000_000);
    unread.close();
    await until(async () => (await check("192.0.2.1")).status !== 503);
    expect(await metric(server, "sallyport_send_buffer_bytes")).toBe(0);
    await server.close();
  });

  test("that stop reading an answer are cut off, and slow readers are not", async () => {
    const server = await postgres.demo({ SEND_TIMEOUT: "500ms" });
    const sessionId = (await tryLogIn(server, "reader")).body.data.sessionId as string;
    const head = [
      "GET /v1/objects/Customer?perPage=30 HTTP/1.1",
      "Host: localhost",
      "appkey: demo-app-key",
      `sessionid: ${sessionId}`,
    ];
    const unread = await rawExchange(server.url, head, { unread: true });
    await until(async () => (await metric(server, "sallyport_send_buffer_bytes")) !== 0);
    await until(async () => (await metric(server, "sallyport_send_buffer_bytes")) === 0);
    unread.close();

    const { hostname, port } = new URL(server.url);
    const slow = connect(Number(port), hostname);
    slow.write(`${head.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    let received = 0;
    let pauses = 0;
    for await (const part of slow) {
      received += (part as Buffer).length;
      if (received < (pauses + 1) * 1_500_000) continue;
      pauses += 1;
      await pause(150);
    }
    expect(received).toBeGreaterThan(15_000_000);
    // Three times the timeout in all.
    expect(pauses).toBeGreaterThanOrEqual(10);
    await server.close();
  });
});
