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
const inTurn = <Item>(list: readonly Item[], index: number) => list[index % list.length] as Item;

interface Pulled {
  readonly code: string;
  readonly version: string;
}

// Needs pg_basebackup, which is not among the binaries that npm installs.
(programs === null ? describe.skip : describe)("failover of Postgres to a standby that may lack writes", () => {
  let directory: string;
  let cluster: PostgresCluster;
  const servers: ServerProcess[] = [];
  const environment = () => ({
    ...withoutBudgets,
    DATA_DIR: directory,
    DATABASE_URL: cluster.url(),
    LOG_LEVEL: "info",
  });

  const start = async (synchronous: boolean) => {
    cluster = await PostgresCluster.start(programs as string, synchronous);
    for (let count = 0; count < 2; count += 1) await startServer();
  };
  const startServer = async () => {
    // The first one creates the demo.
    const server = new ServerProcess(["serve"], { ...environment(), PORT: "0" }, directory);
    servers.push(server);
    await server.url();
  };
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await new ServerProcess(args, environment(), directory).ended;
    return { code, output: `${stdout}${stderr}` };
  };
  const urls = () => Promise.all(servers.map((server) => server.url()));
  const clientsOf = async () =>
    Promise.all(
      (await urls()).flatMap((baseUrl) =>
        modes.map(async (mode) => {
          const client = new SallyportClient({ baseUrl, appKey: "demo-app-key", renew: false, timeout: 20_000 });
          await client.logIn({ mode, user: "demo", password: "demo", appNames: ["demo-app"] });
          return { client, mode };
        }),
      ),
    );
  const codeOf = (call: Promise<unknown>): Promise<number> =>
    call.then(
      () => 0,
      (error: { readonly code?: number }) => error.code ?? -1,
    );
  /** A device that synchronizes. */
  const deviceAt = async (baseUrl: string) => {
    const headers = { appkey: "demo-app-key", "content-type": "application/json" };
    const body = { user: "demo", pass: "demo", appNames: ["demo-app"], device: { deviceId: "tablet" } };
    const send = async (path: string, sent: object, sessionId = "") => {
      const sessionHeaders = sessionId === "" ? headers : { ...headers, sessionid: sessionId };
      const answer = await fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: sessionHeaders,
        body: JSON.stringify(sent),
      });
      return (await answer.json()) as {
        status: { internalStatus: string };
        data: { sessionId: string; syncVersion: string };
      };
    };
    const { sessionId } = (await send("/v1/login", body)).data;
    return async (syncVersion: string): Promise<Pulled> => {
      const { status, data } = await send("/v1/sync/sales", { syncVersion, limit: 5_000 }, sessionId);
      return { code: status.internalStatus, version: data?.syncVersion ?? "" };
    };
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.kill();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test("an asynchronous one is refused with 705 until the recovery, after which nothing is used twice", async () => {
    await start(false);
    const clients = await clientsOf();
    const pull = await deviceAt((await urls())[0] ?? "");
    const versions = [(await pull("0")).version];
    const acknowledged: { readonly id: string; readonly began: number; readonly ended: number }[] = [];
    const codes = new Map<number, number>();
    const over = new AbortController();
    const write = async ({ client }: (typeof clients)[number]) => {
      while (!over.signal.aborted) {
        const began = performance.now();
        try {
          const { "~ObjectID": id } = await client.createObject("Customer", { Name: `C ${acknowledged.length}` });
          acknowledged.push({ id, began, ended: performance.now() });
        } catch (error) {
          const { code = -1 } = error as { readonly code?: number };
          codes.set(code, (codes.get(code) ?? 0) + 1);
          await pause(20);
        }
      }
    };
    const writing = clients.slice(0, writers).map(write);
    await pause(1_500);
    await cluster.standby.detach();
    const detachedAt = performance.now();
    await pause(1_500);
    versions.push((await pull(versions[0] ?? "")).version);
    const numbers = "select encode(session, 'hex') as session, next_out from sallyport_demo.channels";
    const sent = await cluster.primary.run<{ session: string; next_out: string }>(numbers);
    await cluster.primary.kill();
    await cluster.standby.promote();
    const promotedAt = performance.now();
    while (!codes.has(705)) await pause(20);
    const refusedAfter = Math.round(performance.now() - promotedAt);
    await pause(2_000);
    over.abort();
    await Promise.all(writing);

    expect(acknowledged.filter(({ began }) => began > promotedAt)).toEqual([]);
    const late = acknowledged.filter(({ ended }) => ended > detachedAt).length;
    expect(late).toBeGreaterThan(20);
    for (const { client } of clients) expect(await codeOf(client.getObject(acknowledged[0]?.id ?? ""))).toBe(705);
    for (const url of await urls()) expect((await fetch(`${url}/readyz`)).status).toBe(503);
    await startServer();
    expect((await servers[2]?.logged("Database unavailable"))?.["code"]).toBe(705);
    const doctor = await command("doctor");
    expect(doctor.output).toMatch(/acknowledged writes may be lost[\s\S]*sallyport-server recover/);

    expect(await command("recover")).toMatchObject({ code: 0, output: expect.stringContaining("is recovered") });
    expect(await command("recover")).toMatchObject({ code: 0, output: expect.stringContaining("nothing to recover") });
    const [{ client }] = clients as [(typeof clients)[number]];
    const usable = async () => (await codeOf(client.countObjects("Customer"))) === 0;
    const recoveredAt = performance.now();
    while (!(await usable())) await pause(20);
    const usableAfter = Math.round(performance.now() - recoveredAt);

    for (const { client: each, mode } of clients)
      expect([mode, await codeOf(each.countObjects("Customer"))]).toEqual([mode, mode === "secure" ? 203 : 0]);
    const lost = new Set<string>();
    for (const { id } of acknowledged) if ((await codeOf(client.getObject(id))) !== 0) lost.add(id);
    expect(lost.size).toBeGreaterThan(20);
    let returned = 0;
    const again = await clientsOf();
    for (let count = 0; count < lost.size + 100; count += 1) {
      const { "~ObjectID": id } = await inTurn(again, count).client.createObject("Customer", { Name: "New" });
      if (lost.has(id)) returned += 1;
    }
    expect(returned).toBe(0);

    const highest = new Map(sent.map(({ session, next_out: next }) => [session, Number(next)]));
    const now = await cluster.standby.run<{ session: string; next_out: string }>(numbers);
    const repeated = now.filter(({ session, next_out: next }) => Number(next) <= (highest.get(session) ?? -1));
    expect(repeated).toEqual([]);
    const anew = await pull(versions[1] ?? "");
    expect(anew.code).toBe("330");
    versions.push((await pull("0")).version);
    expect(new Set(versions).size).toBe(versions.length);
    const stampOf = (version = "") => Number(version.slice(-16));
    expect(stampOf(versions[2])).toBeGreaterThan(stampOf(versions[1]));
    const [audited] = await cluster.standby.run<{ count: number }>(
      "select count(*)::integer as count from sallyport_demo.audit where type = 'database.recovered'",
    );
    expect(audited?.count).toBe(1);
    await requireVerified(environment(), directory);
    console.log(
      `Asynchronous: ${acknowledged.length} writes acknowledged, ${lost.size} lost; refused with 705 ${refusedAfter} ms after the promotion, ` +
        `used ${usableAfter} ms after the recovery; of ${lost.size + 100} new objects ${returned} have the id of a lost one, ` +
        `${repeated.length} message numbers and ${versions.length - new Set(versions).size} sync versions came twice.`,
    );
  }, 240_000);

  test("a synchronous one is used by servers that have seen the former primary, and by others after the acceptance", async () => {
    await start(true);
    const clients = await clientsOf();
    const acknowledged: string[] = [];
    for (let count = 0; count < 200; count += 1) {
      const { "~ObjectID": id } = await inTurn(clients, count).client.createObject("Customer", { Name: "Kept" });
      acknowledged.push(id);
    }
    await cluster.primary.kill();
    await cluster.standby.promote();
    const promotedAt = performance.now();
    while ((await codeOf(inTurn(clients, 0).client.createObject("Customer", { Name: "Next" }))) !== 0) await pause(20);
    const gap = Math.round(performance.now() - promotedAt);
    let lost = 0;
    for (const [index, id] of acknowledged.entries())
      if ((await codeOf(inTurn(clients, index).client.getObject(id))) !== 0) lost += 1;
    expect(lost).toBe(0);
    const [row] = await cluster.standby.run<{ timeline: { accepted: string } }>(
      "select timeline from sallyport_demo.settings",
    );
    expect(row?.timeline.accepted).toBe("proven");
    expect(await command("recover")).toMatchObject({ code: 0, output: expect.stringContaining("nothing to recover") });
    await requireVerified(environment(), directory);
    console.log(
      `Synchronous: ${acknowledged.length} writes acknowledged, ${lost} lost; next write ${gap} ms after the promotion.`,
    );
  }, 240_000);

  test("a process that has not seen the former primary waits until the operator accepts the new one", async () => {
    await start(true);
    const clients = await clientsOf();
    const ports = (await urls()).map((url) => new URL(url).port);
    for (const server of servers.splice(0)) await server.kill();
    await cluster.primary.kill();
    await cluster.standby.promote();
    for (const port of ports) {
      const server = new ServerProcess(["serve"], { ...environment(), PORT: port }, directory);
      servers.push(server);
      await server.url();
    }
    for (const { client } of clients) expect(await codeOf(client.countObjects("Customer"))).toBe(705);
    expect(await command("recover", "--nothing-lost")).toMatchObject({
      code: 0,
      output: expect.stringContaining("accepted"),
    });
    await pause(1_100);
    for (const { client } of clients) expect(await codeOf(client.countObjects("Customer"))).toBe(0);
    await requireVerified(environment(), directory);
  }, 240_000);
});
