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
const writers = 8;

// Needs pg_basebackup, which is not among the binaries that npm installs.
(programs === null ? describe.skip : describe)("failover of Postgres to a synchronous standby", () => {
  let directory: string;
  let cluster: PostgresCluster;
  const servers: ServerProcess[] = [];
  const environment = () => ({
    ...withoutBudgets,
    PORT: "0",
    DATA_DIR: directory,
    DATABASE_URL: cluster.url(),
    LOG_LEVEL: "info",
  });

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-"));
    cluster = await PostgresCluster.start(programs as string, true);
    for (let count = 0; count < 2; count += 1) {
      // The first one creates the demo.
      const server = new ServerProcess(["serve"], environment(), directory);
      servers.push(server);
      await server.url();
    }
  }, 120_000);
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.kill();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test.each([
    ["crashes", (): Promise<void> => cluster.primary.kill()],
    ["freezes", async (): Promise<void> => cluster.primary.freeze(true)],
  ])(
    "loses no acknowledged write and no session when the primary %s",
    async (title, fail) => {
      const urls = await Promise.all(servers.map((server) => server.url()));
      const clients = await Promise.all(
        urls.flatMap((baseUrl) =>
          modes.map(async (mode) => {
            const client = new SallyportClient({ baseUrl, appKey: "demo-app-key", renew: false, timeout: 20_000 });
            await client.logIn({ mode, user: "demo", password: "demo", appNames: ["demo-app"] });
            return client;
          }),
        ),
      );
      const acknowledged: { readonly id: string; readonly began: number; readonly ended: number }[] = [];
      let refused = 0;
      const over = new AbortController();
      const write = async (client: SallyportClient) => {
        while (!over.signal.aborted) {
          const began = performance.now();
          try {
            const { "~ObjectID": id } = await client.createObject("Customer", {
              Name: `Customer ${acknowledged.length}`,
            });
            acknowledged.push({ id, began, ended: performance.now() });
          } catch {
            refused += 1;
            await pause(10);
          }
        }
      };
      const writing = Array.from({ length: writers }, (_, index) =>
        write(clients[index % clients.length] as SallyportClient),
      );
      await pause(2_000);
      const failedAt = performance.now();
      await fail();
      await cluster.standby.promote();
      const promotedAt = performance.now();
      await pause(6_000);
      over.abort();
      await Promise.all(writing);

      const next = acknowledged.find(({ began }) => began > promotedAt);
      const gap = Math.round((next?.ended ?? Number.POSITIVE_INFINITY) - promotedAt);
      const lost: string[] = [];
      for (const [index, { id }] of acknowledged.entries()) {
        const client = clients[index % clients.length] as SallyportClient;
        await client.getObject(id).catch(() => lost.push(id));
      }
      console.log(
        `The primary ${title}: ${acknowledged.length} writes acknowledged, ${refused} refused, ${lost.length} lost; ` +
          `promoted after ${Math.round(promotedAt - failedAt)} ms, next write ${gap} ms later.`,
      );
      expect(acknowledged.length).toBeGreaterThan(100);
      expect(lost).toEqual([]);
      // A silent server is first told from a slow one.
      expect(gap).toBeLessThan(title === "crashes" ? 1_000 : 5_000);
      for (const client of clients)
        expect((await client.listObjects("Customer", { perPage: 1 }))["~Elements"]).toHaveLength(1);
      await requireVerified(environment(), directory);
    },
    180_000,
  );

  test("reports a lost standby: commits fail with 704 after some seconds, and the servers are not ready", async () => {
    const [url = ""] = await Promise.all(servers.map((server) => server.url()));
    const client = new SallyportClient({ baseUrl: url, appKey: "demo-app-key", timeout: 30_000 });
    await client.logIn({ mode: "session", user: "demo", password: "demo", appNames: ["demo-app"] });
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    expect(await ready()).toBe(200);
    cluster.standby.freeze(true);
    const began = performance.now();
    const failure = await client.createObject("Customer", { Name: "Late" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 704 });
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(await ready()).toBe(503);
    cluster.standby.freeze(false);
    // The failed request took effect: 704 leaves that open.
    await client.createObject("Customer", { Name: "Later" });
    expect(await client.countObjects("Customer", { query: { where: { Name: "Late" } } })).toBe(1);
    await pause(1_100);
    expect(await ready()).toBe(200);
    await requireVerified(environment(), directory);
  }, 120_000);
});
