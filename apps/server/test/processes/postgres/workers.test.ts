import { randomBytes } from "node:crypto";
import { Agent, get } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "@sallyport/test-kit/jest/until";
import { logIn } from "../../cases/run-cases.ts";
import { callIn } from "../../client.ts";
import { modes } from "../../modes.ts";
import { openSession } from "../../open-session.ts";
import { openPostgresFixture, type PostgresFixture } from "../../postgres-fixture.ts";
import { runCommand } from "../run-command.ts";
import { ServerProcess } from "../server-process.ts";
import { jest } from "@jest/globals";

/** A server with two workers: log-ins, reloads under load, the death of workers, the shutdown, metrics. */
describe("workers of one server", () => {
  jest.setTimeout(60_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-workers-"));
  const file = join(folder, "sallyport.config.json");
  const masterKey = randomBytes(32).toString("base64");
  const agents: Agent[] = [];
  let postgres: PostgresFixture;
  let running: ServerProcess | undefined;

  beforeAll(async () => {
    postgres = await openPostgresFixture({ empty: true });
    configure();
    for (const words of [["migrate"], ["seed"]])
      expect(await runCommand(words, { SALLYPORT_CONFIG: file, MASTER_KEY: masterKey }, folder)).toMatchObject({
        code: 0,
      });
  }, 60_000);
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.destroy();
    await running?.kill();
    configure();
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  /** @param others aliases of further databases, whose names are those of their schemas */
  function configure(more: object = {}, others: readonly string[] = []): void {
    const storage = (schema: string) => ({ engine: "postgres", url: postgres.url, schema, migrateOnStart: true });
    const databases = [
      { storage: storage("sallyport_demo") },
      ...others.map((alias) => ({ alias, storage: storage(alias) })),
    ];
    writeFileSync(file, JSON.stringify({ databases, ...more }));
  }

  function start(environment: Record<string, string> = {}): ServerProcess {
    const variables = { SALLYPORT_CONFIG: file, MASTER_KEY: masterKey, PORT: "0", DRAIN_DELAY: "0s", ...environment };
    running = new ServerProcess(["serve", "--workers", "2"], variables, folder);
    return running;
  }

  /** The process ids of the workers, by number, as last logged. */
  function workersOf(server: ServerProcess): number[] {
    const started = server.lines().filter(({ msg }) => msg === "Worker started" || msg === "Worker replaced");
    return [1, 2].map((number) => Number(started.findLast(({ worker }) => worker === number)?.["workerPid"]));
  }

  /** Waits for this many log lines with a message. */
  async function loggedTimes(server: ServerProcess, message: string, times: number): Promise<void> {
    while (server.lines().filter(({ msg }) => msg === message).length < times) {
      if (server.child.exitCode !== null) throw new Error(`It ended: ${JSON.stringify(server.lines())}`);
      await pause(20);
    }
  }

  interface Answered {
    readonly status: number;
    readonly connection: string | undefined;
    readonly requestId: string;
  }

  /** One request of a session on a connection of the agent. */
  function ask(url: string, agent: Agent | undefined, sessionId: string, path = "/_CheckSession"): Promise<Answered> {
    const headers = { appkey: "demo-app-key", sessionid: sessionId };
    return new Promise((resolve, reject) => {
      get(url + path, { ...(agent === undefined ? { agent: false } : { agent }), headers }, (response) => {
        const { statusCode: status = 0, headers: answered } = response;
        const { connection, "x-request-id": requestId } = answered;
        response
          .resume()
          .on("end", () => resolve({ status, connection, requestId: String(requestId) }))
          .on("error", reject);
      }).on("error", reject);
    });
  }

  function keptConnection(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    return agent;
  }

  /** A kept connection to each worker, by number, and no other. */
  async function connectionsOf(server: ServerProcess, url: string, sessionId: string): Promise<[Agent, Agent]> {
    const found = new Map<unknown, Agent>();
    while (found.size < 2) {
      const agent = keptConnection();
      const { requestId } = await ask(url, agent, sessionId);
      const line = () => server.lines().find((each) => each["requestId"] === requestId);
      const { worker } = await until(line);
      found.get(worker)?.destroy();
      found.set(worker, agent);
    }
    return [found.get(1) as Agent, found.get(2) as Agent];
  }

  /** Sends requests until the signal, on kept connections and on new ones. Returns the number and the failures. */
  async function load(url: string, sessionId: string, over: AbortSignal): Promise<{ sent: number; failed: unknown[] }> {
    const failed: unknown[] = [];
    let sent = 0;
    const client = async (agent: Agent | undefined): Promise<void> => {
      while (!over.aborted) {
        sent += 1;
        const { status } = await ask(url, agent, sessionId).catch((error: unknown) => ({ status: error }));
        if (status !== 200) failed.push(status);
      }
    };
    await Promise.all([keptConnection(), keptConnection(), keptConnection(), undefined].map((agent) => client(agent)));
    return { sent, failed };
  }

  /** The value of a metric with these labels, summed over the others. */
  async function metric(url: string, name: string, labels = ""): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith(name) && line.includes(labels));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  const checks = (url: string) => metric(url, "sallyport_requests_total{", 'route="/_CheckSession"');

  test("a session of each mode works on both workers, and each log line has the number of its worker", async () => {
    const server = start();
    const url = await server.url();
    let sent = 0;
    for (const mode of modes) {
      const session = await openSession({ url }, mode, "demo");
      for (let count = 0; count < 6; count += 1) {
        const { code } = await callIn({ url }, session, "/_CheckSession", { headers: { connection: "close" } });
        expect([mode, code]).toEqual([mode, "0"]);
      }
      sent += 6;
      const checked = () => server.lines().filter(({ route }) => route === "/_CheckSession");
      await until(() => checked().length >= sent);
      const workers = checked().slice(-6);
      expect(new Set(workers.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    }
    // Lines of both at once.
    await Promise.all(Array.from({ length: 200 }, () => fetch(`${url}/nothing`, { headers: { connection: "close" } })));
    await loggedTimes(server, "Request completed", 200 + sent);
    expect(workersOf(server).every((pid) => pid > 0 && pid !== server.child.pid)).toBe(true);
    expect(server.lines().filter(({ msg }) => msg === "Listening")).toEqual([
      expect.objectContaining({ address: url, pid: server.child.pid, workers: 2 }),
    ]);
    const { port } = new URL(url);
    const environment = { SALLYPORT_CONFIG: file, PORT: port };
    const { code, stderr } = await new ServerProcess(["serve", "--workers", "2"], environment, folder).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: Port ${port} on 127.0.0.1 is already in use. Set PORT to another port, or to 0 for a free one.\n`,
    });
  });

  /** The statuses of a path on several new connections, so that both workers answer. */
  async function statusesOf(url: string, path: string): Promise<Set<number>> {
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(url, undefined, "", path)));
    return new Set(answers.map(({ status }) => status));
  }

  test("SIGHUP replaces the workers under load without losing a request, with the present configuration", async () => {
    const server = start();
    const url = await server.url();
    const sessionId = await logIn({ url }, "demo");
    const before = workersOf(server);
    // Idle until its worker is replaced.
    const [idle, other] = await connectionsOf(server, url, sessionId);
    other.destroy();
    const over = new AbortController();
    const loaded = load(url, sessionId, over.signal);
    expect(await statusesOf(url, "/added/_CheckService")).toEqual(new Set([404]));
    configure({ applicationName: "reloaded" }, ["added"]);
    server.signal("SIGHUP");
    await loggedTimes(server, "Worker replaced", 1);
    expect(await ask(url, idle, sessionId)).toMatchObject({ status: 200, connection: "close" });
    await server.logged("Reloaded");
    expect(await statusesOf(url, "/readyz")).toEqual(new Set([200]));
    expect(await statusesOf(url, "/added/_CheckService")).toEqual(new Set([200]));
    configure({ applicationName: "reloaded" });
    server.signal("SIGHUP");
    await loggedTimes(server, "Reloaded", 2);
    expect(await statusesOf(url, "/added/_CheckService")).toEqual(new Set([404]));
    over.abort();
    const { sent, failed } = await loaded;
    expect(failed).toEqual([]);
    expect(sent).toBeGreaterThan(50);
    expect(workersOf(server).filter((pid) => before.includes(pid))).toEqual([]);
    expect(await (await fetch(`${url}/_CheckService`)).json()).toMatchObject({ data: { applicationName: "reloaded" } });
  });

  test("an invalid configuration refuses a reload, and the workers stay", async () => {
    const server = start();
    const url = await server.url();
    writeFileSync(file, "{");
    server.signal("SIGHUP");
    expect(await server.logged("Reload refused: the configuration is invalid")).toMatchObject({ level: "error" });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(server.lines().filter(({ msg }) => msg === "Worker ended")).toEqual([]);
  });

  test("a killed worker is replaced, requests of the other one go on, and no count is lost", async () => {
    const server = start();
    const url = await server.url();
    const sessionId = await logIn({ url }, "demo");
    const [first, second] = await connectionsOf(server, url, sessionId);
    for (const agent of [first, second, first]) await ask(url, agent, sessionId);
    const counted = await checks(url);
    expect(counted).toBe(server.lines().filter(({ route }) => route === "/_CheckSession").length);
    expect(await metric(url, "sallyport_workers ")).toBe(2);
    await postgres.sql.query("begin");
    await postgres.sql.query("lock table sallyport_demo.objects in access exclusive mode");
    const underWay = ask(url, second, sessionId, "/v1/objects/Customer?perPage=1");
    await blocked();
    process.kill(Number(workersOf(server)[0]), "SIGKILL");
    expect(await server.logged("Worker ended")).toMatchObject({ level: "error", worker: 1, end: "signal SIGKILL" });
    await postgres.sql.query("rollback");
    expect(await underWay).toMatchObject({ status: 200 });
    await loggedTimes(server, "Worker started", 3);
    expect(await checks(url)).toBe(counted);
    await ask(url, keptConnection(), sessionId);
    expect(await checks(url)).toBe(counted + 1);
    expect(await metric(url, "sallyport_workers ")).toBe(2);
  });

  test("SIGTERM finishes the requests of all workers, also if each gets it from the terminal", async () => {
    const server = start();
    const url = await server.url();
    const sessionId = await logIn({ url }, "demo");
    const connections = await connectionsOf(server, url, sessionId);
    await postgres.sql.query("begin");
    await postgres.sql.query("lock table sallyport_demo.objects in access exclusive mode");
    const underWay = connections.map((agent) => ask(url, agent, sessionId, "/v1/objects/Customer?perPage=1"));
    await blocked(2);
    for (const pid of workersOf(server)) process.kill(pid, "SIGTERM");
    server.signal("SIGTERM");
    await server.logged("Shutting down");
    await postgres.sql.query("rollback");
    expect(await Promise.all(underWay)).toEqual([200, 200].map((status) => expect.objectContaining({ status })));
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
    expect(server.lines().filter(({ msg }) => msg === "Stopped")).toHaveLength(3);
  });

  test.each([
    ["starts", () => pause(100)],
    ["waits for idle connections to end", (server: ServerProcess) => loggedTimes(server, "Worker replaced", 1)],
  ])("SIGTERM ends a reload in which a worker %s", async (_what, begun) => {
    const server = start();
    const url = await server.url();
    await connectionsOf(server, url, await logIn({ url }, "demo"));
    server.signal("SIGHUP");
    await begun(server);
    server.signal("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
  });

  /** Waits until statements of the server wait for the lock. */
  async function blocked(count = 1): Promise<void> {
    // A lock of a transaction belongs to no database; who waits for one holds others.
    const waiting = `select count(*) from pg_locks where not granted and pid in (
      select pid from pg_locks where database = (select oid from pg_database where datname = current_database())
    )`;
    await until(async () => Number((await postgres.sql.query(waiting)).rows[0].count) >= count);
  }

  test("gives up when no worker stays in service", async () => {
    const server = start();
    await server.url();
    rmSync(file);
    for (const pid of workersOf(server)) process.kill(pid, "SIGKILL");
    const { code, stderr } = await server.ended;
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      "error: 5 workers in a row ended during their start or in the first 10 seconds after it. See the log.",
    );
    expect(server.lines().filter(({ msg }) => msg === "Worker ended")).toHaveLength(5);
  });

  test("ends if the first worker ends before it is ready", async () => {
    const server = start({ TLS_CERTIFICATE_FILE: file, TLS_KEY_FILE: file });
    const { code, stdout, stderr } = await server.ended;
    expect({ code, isListening: stdout.includes("Listening") }).toEqual({ code: 1, isListening: false });
    expect(stderr).toMatch(/^error: .*\n(.*\n)*error: Worker 1 ended before it was ready \(exit code 1\)\.\n$/);
  });

  test("workers end with their primary process", async () => {
    const server = start();
    const url = await server.url();
    const workers = workersOf(server);
    await server.kill();
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await until(() => !workers.some((pid) => isAlive(pid)));
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
  });

  test.each([
    ["a database in memory", { databases: [{ storage: { engine: "memory" } }] }, "in memory"],
    ["an embedded database", { databases: [{ storage: { engine: "embedded", dataDir: "data" } }] }, "embedded"],
  ])("refuses several workers for %s", async (_title, content, why) => {
    writeFileSync(file, JSON.stringify(content));
    const { code, stdout, stderr } = await runCommand(["serve", "--workers", "2"], { SALLYPORT_CONFIG: file }, folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      `server.workers (WORKERS): must be 1: the database with the empty alias is ${why}, and only one process can use it`,
    );
  });
});
