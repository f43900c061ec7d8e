import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SallyportClient } from "@sallyport/client";
import { modes } from "../modes.ts";
import { requireVerified } from "../require-intact.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { withoutBudgets } from "../test-environment.ts";
import { PostgresCluster, postgresPrograms } from "./postgres-cluster.ts";

const programs = postgresPrograms();

interface Failure {
  readonly code: number;
  readonly at: number;
}

// Needs pg_basebackup, which is not among the binaries that npm installs.
(programs === null ? describe.skip : describe)("moves of a database to another Postgres server under load", () => {
  const masterKey = Buffer.alloc(32, 7).toString("base64");
  let directory: string;
  let old: PostgresCluster;
  let fresh: PostgresCluster;
  const servers: ServerProcess[] = [];
  const environment = ({ primary } = old) => ({
    ...withoutBudgets,
    DATA_DIR: directory,
    DATABASE_URL: primary.url,
    MASTER_KEY: masterKey,
    LOG_LEVEL: "info",
  });
  const start = async () => {
    const server = new ServerProcess(["serve"], { ...environment(), PORT: "0" }, directory);
    servers.push(server);
    await server.url();
    return server;
  };
  const command = (...args: string[]) => new ServerProcess(args, environment(), directory);
  const move = (...args: string[]) => command("move", "--to", fresh.primary.url, ...args);
  const resultOf = async (process: ServerProcess) => {
    const { code, stdout, stderr } = await process.ended;
    return { code, output: `${stdout}${stderr}` };
  };
  const codeOf = (error: unknown): number => (error as { readonly code?: number }).code ?? -1;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-"));
    [old, fresh] = await Promise.all([
      PostgresCluster.start(programs as string, false),
      PostgresCluster.start(programs as string, false),
    ]);
    await start();
    await start();
  }, 120_000);
  afterAll(async () => {
    for (const server of servers) await server.kill();
    await old.stop();
    await fresh.stop();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  /** Clients of every mode on both servers that write until `stop`. */
  async function load(alias: string) {
    const clients = await Promise.all(
      (await Promise.all(servers.map((server) => server.url()))).flatMap((baseUrl) =>
        modes.map(async (mode) => {
          const client = new SallyportClient({ baseUrl, alias, appKey: "demo-app-key", renew: false, timeout: 20_000 });
          await client.logIn({ mode, user: "demo", password: "demo", appNames: ["demo-app"] });
          return client;
        }),
      ),
    );
    const acknowledged: string[] = [];
    const failures: Failure[] = [];
    const over = new AbortController();
    const rounds = clients.map(() => 0);
    const writing = clients.map(async (client, index) => {
      while (!over.signal.aborted) {
        try {
          const { "~ObjectID": id } = await client.createObject("Customer", { Name: `C ${acknowledged.length}` });
          acknowledged.push(id);
          await client.getObject(id);
          rounds[index] = (rounds[index] ?? 0) + 1;
        } catch (error) {
          failures.push({ code: codeOf(error), at: performance.now() });
        }
        await pause(10);
      }
    });
    const stop = async () => {
      over.abort();
      await Promise.all(writing);
      return { clients, acknowledged, failures };
    };
    /** Resolves once each client has written and read again. */
    const everyone = async () => {
      const before = [...rounds];
      while (rounds.some((count, index) => count < (before[index] ?? 0) + 2)) await pause(50);
    };
    return { acknowledged, everyone, stop };
  }

  const leftovers = async () =>
    (
      await Promise.all([
        old.primary.run<{ name: string }>(
          "select slot_name as name from pg_replication_slots where slot_type = 'logical' union all select pubname from pg_publication",
        ),
        fresh.primary.run<{ name: string }>(
          "select subname as name from pg_subscription union all select nspname from pg_namespace where nspname like 'sallyport%'",
        ),
      ])
    ).flat();

  test("a move that ends early leaves the old place in use, and the next one starts over", async () => {
    const traffic = await load("");
    const killed = move();
    while ((await leftovers()).length < 4) await pause(10);
    await killed.kill();
    expect(await resultOf(move("--abandon"))).toMatchObject({ code: 0 });
    expect(await leftovers()).toEqual([]);
    const interrupted = move();
    while ((await leftovers()).length < 4) await pause(10);
    interrupted.signal("SIGINT");
    expect(await resultOf(interrupted)).toMatchObject({ code: 1, output: expect.stringContaining("was interrupted") });
    expect(await leftovers()).toEqual([]);
    const { acknowledged, failures } = await traffic.stop();
    expect(failures).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(50);
    await requireVerified(environment(), directory);
  }, 120_000);

  test("every acknowledged write and every session is at the new place, with a short pause for this alias alone", async () => {
    const moved = await load("");
    const other = await load("second");
    await pause(500);
    const began = performance.now();
    const result = await resultOf(move());
    const duration = Math.round(performance.now() - began);
    expect(result).toMatchObject({ code: 0, output: expect.stringContaining("Running servers follow.") });
    await Promise.all([moved.everyone(), other.everyone()]);
    const [{ clients, acknowledged, failures }, others] = await Promise.all([moved.stop(), other.stop()]);

    expect(others.failures).toEqual([]);
    expect(failures.filter(({ code }) => code !== 706)).toEqual([]);
    const [first = 0, last = first] = [failures[0]?.at, failures.at(-1)?.at];
    const refused = Math.round(last - first);
    expect(refused).toBeLessThan(5_000);
    const count = async (schema: string) =>
      (await fresh.primary.run<{ oid: string }>(`select oid from ${schema}.objects`)).length;
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    for (const client of clients) {
      for (const id of acknowledged.slice(-20)) expect((await client.getObject(id))["~ObjectID"]).toBe(id);
      await client.createObject("Customer", { Name: "after" });
    }
    expect(await count("sallyport_demo")).toBeGreaterThan(acknowledged.length);
    const audited = "select count(*)::integer as count from sallyport_demo.audit where type = 'database.moved'";
    expect(await fresh.primary.run(audited)).toEqual([{ count: 1 }]);
    const kept = await old.primary.run("select oid from sallyport_demo_moved.objects o");
    expect(await count("sallyport_demo")).toBeGreaterThanOrEqual(kept.length + clients.length);
    await requireVerified(environment(fresh), directory);
    console.log(
      `${acknowledged.length} writes acknowledged, 0 lost; ${failures.length} refused with 706 within ${refused} ms; ${/waited for (\d+) ms/.exec(result.output)?.[1]} ms for the switch; ${duration} ms for the move.`,
    );
  }, 120_000);

  test("a server that starts with the old place follows, and commands name the new one", async () => {
    const server = await start();
    expect((await server.logged("Database was moved. Set storage.url to the new place"))?.["alias"]).toBe("");
    const client = new SallyportClient({ baseUrl: await server.url(), appKey: "demo-app-key" });
    const usable = () =>
      client.logIn({ mode: "session", user: "demo", password: "demo", appNames: ["demo-app"] }).then(
        () => true,
        () => false,
      );
    while (!(await usable())) await pause(50);
    const listed = await resultOf(command("class", "list", "--alias", ""));
    expect(listed).toMatchObject({ code: 1, output: expect.stringContaining("Set storage.url to the new place.") });
    expect((await resultOf(command("doctor"))).output).toContain("Set storage.url to the new place.");
    expect(await resultOf(move())).toMatchObject({ code: 0, output: expect.stringContaining("The database is at") });
    const again = command("move", "--to", `${fresh.primary.url}2`);
    expect(await resultOf(again)).toMatchObject({ code: 1 });
  }, 60_000);
});
