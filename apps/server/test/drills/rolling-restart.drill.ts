import { Agent, get } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { logIn } from "../cases/run-cases.ts";
import { freePort } from "../providers/free-port.ts";
import { requireVerified } from "../require-intact.ts";
import { ServerProcess } from "../processes/server-process.ts";

const restarts = 20;
const perSecond = 300;

/**
 * Two servers behind a client that alternates between them, polls both `/readyz` twice a second, and repeats nothing.
 */
describe("rolling restart", () => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const file = join(directory, "sallyport.config.json");
  let postgres: PostgresFixture;
  const servers: { url: string; process: ServerProcess; ready: boolean }[] = [];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    await postgres.demo().then((seeded) => seeded.close());
    const storage = { engine: "postgres", url: postgres.url, schema: "sallyport_demo" };
    writeFileSync(file, JSON.stringify({ databases: [{ alias: "", name: "demo", storage }] }));
    for (let count = 0; count < 2; count += 1) {
      const port = await freePort();
      servers.push({ url: `http://127.0.0.1:${port}`, process: start(port), ready: true });
    }
    await Promise.all(servers.map(({ process }) => process.url()));
  });
  afterAll(async () => {
    await Promise.all(servers.map(({ process }) => process.kill()));
    await postgres.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (port: number) =>
    new ServerProcess(["serve", "--config", file], { PORT: String(port), LOG_LEVEL: "info" }, directory);

  test("loses no request", async () => {
    const agent = new Agent({ keepAlive: true });
    const sessionId = await logIn({ url: servers[0]?.url ?? "" }, "demo");
    const status = (url: string, headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        get(url, { agent, headers }, (response) => {
          response
            .resume()
            .on("end", () => resolve(response.statusCode ?? 0))
            .on("error", reject);
        }).on("error", reject);
      });
    const over = new AbortController();
    const failures: string[] = [];
    let sent = 0;
    const watch = async (server: (typeof servers)[number]) => {
      while (!over.signal.aborted) {
        server.ready = (await status(`${server.url}/readyz`, {}).catch(() => 503)) === 200;
        await pause(500);
      }
    };
    const send = async (turn: number) => {
      const ready = servers.filter(({ ready: is }) => is);
      const target = ready[turn % ready.length];
      const code = await (target === undefined
        ? 503
        : status(`${target.url}/_CheckSession`, { appkey: "demo-app-key", sessionid: sessionId }));
      if (code !== 200) failures.push(String(code));
    };
    const sender = async () => {
      const under: Promise<void>[] = [];
      for (const began = performance.now(); !over.signal.aborted; await pause(5)) {
        const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
        for (; sent < due; sent += 1)
          under.push(send(sent).catch((error: unknown) => void failures.push(String(error))));
      }
      await Promise.all(under);
    };
    const work = Promise.all([sender(), ...servers.map((server) => watch(server))]);
    for (let round = 0; round < restarts; round += 1) {
      const server = servers[round % 2] as (typeof servers)[number];
      server.process.signal("SIGTERM");
      expect(await server.process.ended).toMatchObject({ code: 0 });
      server.process = start(Number(new URL(server.url).port));
      await server.process.url();
      while (!server.ready) await pause(50);
    }
    over.abort();
    await work;
    process.stdout.write(`rolling restart: ${restarts} restarts, ${sent} requests, ${failures.length} failed\n`);
    expect(failures).toEqual([]);
    // The bytes of the demo's files stayed with the server that has seeded it.
    await requireVerified({}, directory, "--config", file, "--no-files");
  });
});
