import { once } from "node:events";
import { createServer, request, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { ServiceError } from "@sallyport/storage";
import { type AdministrationContext, type Database } from "@sallyport/core";
import { type DatabaseEntry, type Application, Connections, type LoadGauge } from "@sallyport/http";
import { ConnectionDrain } from "../composition/start-server.ts";
import { ServedDatabases } from "../databases/served-databases.ts";
import { Metrics } from "./metrics.ts";
import { ReadinessProbe } from "./server-monitoring.ts";
import { jest } from "@jest/globals";
import { pino } from "pino";
import { FileKeeper } from "../background/file-keeper.ts";

describe("monitoring of the server", () => {
  const database = (health: () => Promise<void>) => ({ storage: { health } }) as unknown as Database;
  const good = database(async () => {});
  const down = database(async () => {
    throw new ServiceError(704, { cause: new Error("S3cret") });
  });
  const silent = database(() => new Promise(() => {}));
  const broken = database(async () => {
    throw new Error("S3cret");
  });

  const oneMasterKey = { isSealedByOtherKey: async () => false };

  const ask = (...entries: [string, DatabaseEntry][]) => new ReadinessProbe(new Map(entries), oneMasterKey, 5).read();

  test("a server with a reachable database is ready", async () => {
    await expect(ask(["", good], ["second", good])).resolves.toEqual({
      ready: true,
      databases: { "(empty)": "ok", second: "ok" },
    });
  });

  test("an unreachable database leaves the server ready for the others, and is named", async () => {
    const { ready, databases } = await ask(["", good], ["a", down], ["b", silent], ["c", broken], ["d", null]);
    expect(ready).toBe(true);
    expect(databases).toMatchObject({ "(empty)": "ok", b: "timed out" });
    for (const alias of ["a", "c", "d"]) expect(databases[alias]).not.toBe("ok");
    expect(JSON.stringify(databases)).not.toContain("S3cret");
  });

  test.each([[[["", down]]], [[["", silent]]], [[["", null]]], [[]]] as [[string, DatabaseEntry][]][])(
    "a server without a reachable database is not ready",
    async (entries) => {
      await expect(ask(...entries)).resolves.toMatchObject({ ready: false });
    },
  );

  test("reports a database with keys sealed under another master key", async () => {
    const probe = new ReadinessProbe(
      new Map([
        ["", good],
        ["second", good],
      ]),
      { isSealedByOtherKey: async (asked) => asked === good },
    );
    await expect(probe.read()).resolves.toEqual({
      ready: false,
      databases: {
        "(empty)": "keys encrypted with another master key",
        second: "keys encrypted with another master key",
      },
    });
  });

  test("concurrent checks share one answer", async () => {
    let asked = 0;
    const probe = new ReadinessProbe(new Map([["", database(async () => void (asked += 1))]]), oneMasterKey);
    await Promise.all([probe.read(), probe.read(), probe.read()]);
    expect(asked).toBe(1);
  });
});

describe("metrics", () => {
  const request = {
    requestId: "r",
    method: "GET",
    alias: "",
    route: "/v1/login",
    status: 200,
    code: 0,
    duration: 12,
    address: "::1",
  } as const;

  test("requests are counted and timed by known routes and codes, never by client input", async () => {
    const metrics = new Metrics();
    metrics.answered(request);
    metrics.answered({ ...request, route: null, method: "INVENTED", status: 404, code: 304 });
    const { text, contentType } = await metrics.text();
    expect(contentType).toMatch(/^text\/plain/);
    expect(text).toContain('sallyport_requests_total{route="/v1/login",method="GET",status="200",code="0"} 1');
    expect(text).toContain('sallyport_requests_total{route="none",method="any",status="404",code="304"} 1');
    expect(text).toContain('sallyport_request_duration_seconds_bucket{le="0.025",route="/v1/login"} 1');
    expect(text).not.toContain("INVENTED");
  });

  test("items of multi requests are counted by known routes and codes, too", async () => {
    const metrics = new Metrics();
    const read = { route: "/v1/object/{idOrClass}", method: "GET", status: 200, code: 0 } as const;
    metrics.answered({
      ...request,
      method: "POST",
      route: "/v1/multi",
      items: [read, read, { route: null, method: null, status: 404, code: 304 }],
    });
    const { text } = await metrics.text();
    expect(text).toContain('sallyport_requests_total{route="/v1/multi",method="POST",status="200",code="0"} 1');
    expect(text).toContain(
      'sallyport_multi_items_total{route="/v1/object/{idOrClass}",method="GET",status="200",code="0"} 2',
    );
    expect(text).toContain('sallyport_multi_items_total{route="none",method="any",status="404",code="304"} 1');
  });

  test("gauges are read on request", async () => {
    const metrics = new Metrics();
    const load = { current: 3 };
    const connections = { size: 9, dropped: 0 };
    metrics.watchLoad({
      load,
      connections,
      incompleteBodies: { current: 4 },
      transfers: { current: 2 },
      sendBufferBytes: { current: 8 },
    } as Application);
    metrics.watchPools(() => new Map([["postgres://h/d", { total: 4, idle: 1, waiting: 2 }]]));
    const reads = { served: 5, behind: 1, failed: 0, unavailable: 2 };
    const states = [
      { name: "one:5432", fault: null, lag: 250 },
      { name: "two:5432", fault: "It does not answer.", lag: 0 },
    ];
    metrics.watchReplicas(() => new Map([["postgres://h/d", { reads, states }]]));
    metrics.watchPasswords(() => 5);
    load.current = 7;
    connections.dropped = 6;
    const { text } = await metrics.text();
    expect(text).toContain("sallyport_requests_in_flight 7");
    expect(text).toContain("sallyport_incomplete_bodies 4");
    expect(text).toContain("sallyport_transfers 2");
    expect(text).toContain("sallyport_connections 9");
    expect(text).toContain("sallyport_connections_dropped_total 6");
    expect((await metrics.text()).text).toContain("sallyport_connections_dropped_total 6");
    expect(text).toContain('sallyport_pool_connections{pool="postgres://h/d"} 4');
    expect(text).toContain('sallyport_pool_waiting{pool="postgres://h/d"} 2');
    expect(text).toContain('sallyport_replica_reads_total{pool="postgres://h/d",outcome="served"} 5');
    expect(text).toContain('sallyport_replica_reads_total{pool="postgres://h/d",outcome="unavailable"} 2');
    expect(text).toContain('sallyport_replica_up{replica="one:5432"} 1');
    expect(text).toContain('sallyport_replica_up{replica="two:5432"} 0');
    expect(text).toContain('sallyport_replica_lag_seconds{replica="one:5432"} 0.25');
    expect(text).toContain("sallyport_password_hashes_pending 5");
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
  });
});

describe("connection drain", () => {
  interface Listening {
    readonly server: Server;
    readonly port: number;
    readonly connections: Connections;
    readonly drain: ConnectionDrain;
  }

  const load = { drain() {} } as LoadGauge;

  async function listening(listener: RequestListener): Promise<Listening> {
    const connections = new Connections({ mayWait: 8, bounds: { perIp: 100, total: 100 }, networkOf: () => null });
    const server = createServer((asked, response) => connections.of(asked.socket).take(asked, response, listener));
    connections.watch(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const drain = new ConnectionDrain([server], { load, connections });
    return { server, port: (server.address() as AddressInfo).port, connections, drain };
  }

  async function connected(server: Server, port: number): Promise<Socket> {
    const accepted = once(server, "connection");
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await accepted;
    return socket;
  }

  const get = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ port, host: "127.0.0.1", agent: false, headers: { connection: "keep-alive" } }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (part: string) => (body += part));
        response.on("end", () => resolve(body)).on("error", reject);
      })
        .on("error", reject)
        .end();
    });

  test("a request in progress is finished, and then nothing is left", async () => {
    let finish = () => {};
    const started = deferred();
    const { port, drain } = await listening((_request, response) => {
      finish = () => response.end("done");
      started.resolve();
    });
    const answer = get(port);
    await started.promise;
    const drained = drain.run({ delay: 0, timeout: 10_000 });
    await expect(get(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    finish();
    await expect(answer).resolves.toBe("done");
    await expect(drained).resolves.toBe(true);
  });

  test("idle connections do not delay it", async () => {
    const { server, port, drain } = await listening((_request, response) => response.end("ok"));
    const silent = await connected(server, port);
    const idle = await connected(server, port);
    idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle, "data");
    await expect(drain.run({ delay: 0, timeout: 10_000 })).resolves.toBe(true);
    silent.destroy();
    idle.destroy();
  });

  test("half a request does not delay it", async () => {
    const { server, port, connections, drain } = await listening((_request, response) => response.end("ok"));
    const half = await connected(server, port);
    half.write("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHos");
    await once(half, "data");
    const gone = once(half, "close");
    await expect(drain.run({ delay: 0, timeout: 10_000 })).resolves.toBe(true);
    await gone;
    expect(connections.size).toBe(0);
  });

  test("the rest of an unneeded body does not delay it", async () => {
    const { server, port, drain } = await listening((_request, response) => response.end("ok"));
    const half = await connected(server, port);
    half.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    await once(half, "data");
    await expect(drain.run({ delay: 0, timeout: 10_000 })).resolves.toBe(true);
  });

  test("an answer that is written but not yet read is not cut off", async () => {
    const size = 32 * 1024 * 1024;
    const { server, port, drain } = await listening((_request, response) => response.end(Buffer.alloc(size)));
    const slow = await connected(server, port);
    slow.pause();
    slow.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(slow, "readable");
    const drained = drain.run({ delay: 0, timeout: 10_000 });
    let received = 0;
    slow.on("data", (bytes: Buffer) => {
      received += bytes.length;
    });
    slow.resume();
    await once(slow, "end");
    expect(received).toBeGreaterThan(size);
    await expect(drained).resolves.toBe(true);
  });

  test("queued requests on a connection are dropped, and the last answer announces it", async () => {
    const started = deferred();
    let finish = () => {};
    let begun = 0;
    const { server, port, connections, drain } = await listening((asked, response) => {
      begun += 1;
      finish = () =>
        response.writeHead(200, connections.of(asked.socket).isEnding ? { Connection: "close" } : {}).end("done");
      started.resolve();
    });
    const client = await connected(server, port);
    client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
    await started.promise;
    const drained = drain.run({ delay: 0, timeout: 10_000 });
    finish();
    let text = "";
    client.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    await once(client, "end");
    expect(text.match(/HTTP\/1.1 200[^]*?connection: close/gi)).toHaveLength(1);
    expect(begun).toBe(1);
    await expect(drained).resolves.toBe(true);
  });

  test("work beyond the time limit is cut off", async () => {
    const started = deferred();
    const { port, drain } = await listening((_request, response) => {
      response.write("half");
      started.resolve();
    });
    const answer = get(port).catch((error: unknown) => error);
    await started.promise;
    await expect(drain.run({ delay: 0, timeout: 20 })).resolves.toBe(false);
    await expect(answer).resolves.toMatchObject({ code: "ECONNRESET" });
  });

  test("a server that does not listen has nothing to drain", async () => {
    await expect(
      new ConnectionDrain([createServer()], {
        load,
        connections: new Connections({ mayWait: 8, bounds: { perIp: 100, total: 100 }, networkOf: () => null }),
      }).run({ delay: 0, timeout: 10_000 }),
    ).resolves.toBe(true);
  });

  /** A promise and its resolve function. */
  function deferred(): { promise: Promise<void>; resolve: () => void } {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  }
});

describe("file keeper", () => {
  const hour = 3_600_000;
  const database = (alias: string) => ({ alias, storage: { repositories: {} } }) as unknown as Database;

  function keeperOf({
    collect,
    prepare,
  }: {
    collect?: (alias: string) => Promise<number>;
    prepare?: () => Promise<void>;
  }) {
    const lines: { msg: string; alias: string }[] = [];
    const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const collected: string[] = [];
    const collectUnused = async ({ database: { alias } }: Pick<AdministrationContext, "database">) => {
      collected.push(alias);
      return { removed: (await collect?.(alias)) ?? 0, waiting: 0, unknown: alias === "other" ? 2 : 0 };
    };
    const databases = new ServedDatabases([
      ["", database("")],
      ["gone", null],
      ["other", database("other")],
    ]);
    const stores = { of: () => ({ prepare: prepare ?? (async () => {}) }) };
    return {
      keeper: new FileKeeper(databases, stores, logger, collectUnused),
      collected,
      lines,
    };
  }

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test("collects in each database within an hour of the start, then every hour", async () => {
    const { keeper, collected } = keeperOf({});
    keeper.start();
    await jest.advanceTimersByTimeAsync(hour);
    expect(collected.toSorted()).toEqual(["", "other"]);
    await jest.advanceTimersByTimeAsync(hour);
    expect(collected.toSorted()).toEqual(["", "", "other", "other"]);
    keeper.stop();
    await jest.advanceTimersByTimeAsync(2 * hour);
    expect(collected).toHaveLength(4);
  });

  test("a failed collection is logged and tried again", async () => {
    const { keeper, collected, lines } = keeperOf({
      collect: (alias) => (alias === "" ? Promise.reject(new Error("gone")) : Promise.resolve(3)),
    });
    keeper.start();
    await jest.advanceTimersByTimeAsync(2 * hour);
    keeper.stop();
    expect(collected.filter((alias) => alias === "")).toHaveLength(2);
    expect(lines).toContainEqual(expect.objectContaining({ alias: "", msg: "File cleanup failed" }));
    expect(lines).toContainEqual(
      expect.objectContaining({ alias: "other", files: 3, msg: "Unreferenced files deleted" }),
    );
    expect(lines.filter(({ msg }) => msg === "The store has files of another database")).toEqual([
      expect.objectContaining({ alias: "other", files: 2 }),
      expect.objectContaining({ alias: "other", files: 2 }),
    ]);
  });

  test("a store that cannot be prepared is logged and prevents no start", async () => {
    const { keeper, lines } = keeperOf({ prepare: () => Promise.reject(new Error("read only")) });
    await keeper.prepare({ alias: "other" });
    expect(lines.map(({ alias, msg }) => [alias, msg])).toEqual([["other", "File store unavailable"]]);
  });
});
