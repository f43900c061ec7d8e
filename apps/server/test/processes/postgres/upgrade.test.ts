import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { jest } from "@jest/globals";
import { until } from "@sallyport/test-kit/jest/until";
import { call, tryLogIn, type Answer, callIn } from "../../client.ts";
import { openSession } from "../../open-session.ts";
import { openPostgresFixture, type PostgresFixture } from "../../postgres-fixture.ts";
import type { Subject } from "../../subject.ts";
import { buildNextVersion } from "./next-version.ts";
import { ServerProcess } from "../server-process.ts";

/** Upgrades to another version. */
describe("upgrade", () => {
  jest.setTimeout(240_000);

  const schemas = join(import.meta.dirname, "../../../../../packages/storage-knex/test/schemas");
  const modes = ["session", "secure"] as const;
  const folder = mkdtempSync(join(tmpdir(), "sallyport-upgrade-"));
  const masterKey = randomBytes(32).toString("base64");
  const processes: ServerProcess[] = [];
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => Promise.all(processes.splice(0).map((process) => process.kill())));

  /** Runs a program of the server on one schema of a Postgres. */
  function start(words: readonly string[], url: string, schema: string, program?: string): ServerProcess {
    const file = join(folder, `${schema}.json`);
    writeFileSync(file, JSON.stringify({ databases: [{ storage: { engine: "postgres", url, schema } }] }));
    const environment = { PORT: "0", SALLYPORT_CONFIG: file, MASTER_KEY: masterKey, DRAIN_DELAY: "100ms" };
    const process = new ServerProcess(words, environment, folder, "", program);
    processes.push(process);
    return process;
  }

  const readiness = async ({ url }: Subject) => (await fetch(`${url}/readyz`)).status;

  test.each(readdirSync(schemas).filter((name) => name.endsWith(".postgres.sql")))(
    "the schema of %s is migrated to the current one, which serves",
    async (name) => {
      const postgres = await openPostgresFixture({ empty: true });
      try {
        await postgres.sql.query(readFileSync(join(schemas, name), "utf8"));
        for (const words of [["migrate"], ["seed"]])
          expect(await start(words, postgres.url, "sallyport").ended).toMatchObject({ code: 0, stderr: "" });
        const server = { url: await start(["serve"], postgres.url, "sallyport").url() };
        for (const mode of modes) {
          const session = await openSession(server, mode, "demo");
          expect(await callIn(server, session, "/v1/objects/Customer?perPage=1")).toMatchObject({ code: "0" });
        }
      } finally {
        await Promise.all(processes.splice(0).map((process) => process.kill()));
        await postgres.close();
      }
    },
  );

  describe("rolling upgrade", () => {
    const nextVersion = "99.0.0";
    let next: string;
    let postgres: PostgresFixture;
    beforeAll(async () => {
      next = await buildNextVersion(join(folder, "next"), nextVersion);
      postgres = await openPostgresFixture();
    });
    afterAll(() => postgres.close());

    test("fails no request while servers of two versions share one database", async () => {
      const run = (words: readonly string[], program?: string) => start(words, postgres.url, "sallyport_demo", program);
      const oldServer = run(["serve"]);
      const old = { url: await oldServer.url() };
      const traffic = new Traffic([old]);
      await traffic.resume();

      expect(await run(["migrate"], next).ended).toMatchObject({
        code: 0,
        stderr: "",
        stdout: expect.stringContaining("applied 0003-visits, open_session"),
      });
      await traffic.resume();
      const { url } = { url: await run(["serve"], next).url() };
      const fresh = { url };
      traffic.servers = [old, fresh];
      await traffic.resume();
      // A readiness answer is valid for a second.
      await delay(1_100);
      expect(await Promise.all([old, fresh].map(readiness))).toEqual([200, 200]);
      const versions = await Promise.all([old, fresh].map((server) => call(server, "/_CheckService")));
      expect(versions.map(({ body }) => body.data.applicationVersion === nextVersion)).toEqual([false, true]);

      // The earlier version calls the newer function.
      const visits = async () => (await postgres.sql.query("select from sallyport_demo.visits")).rowCount ?? 0;
      const before = await visits();
      const sessions = await Promise.all(
        [old, fresh].flatMap((server) => modes.map((mode) => openSession(server, mode, "demo"))),
      );
      expect((await visits()) - before).toBeGreaterThanOrEqual(sessions.length);
      for (const session of sessions)
        for (const server of [old, fresh, old])
          expect(await callIn(server, session, "/_CheckSession")).toMatchObject({ code: "0" });

      traffic.servers = [fresh];
      await traffic.resume();
      oldServer.signal("SIGTERM");
      await traffic.resume();
      expect((await oldServer.ended).code).toBe(0);
      await traffic.resume();
      for (const session of sessions)
        expect(await callIn(fresh, session, "/v1/objects/Customer?perPage=1")).toMatchObject({ code: "0" });
      const failures = await traffic.end();
      const logged = processes.flatMap((process) => process.lines().filter(({ level }) => level === "error"));
      expect({ failures, logged }).toEqual({ failures: [], logged: [] });

      const refusal = "The database was migrated by a newer version of the server. Start that version.";
      const again = run(["serve"]);
      const late = { url: await again.url() };
      expect(await again.logged("Database unavailable")).toMatchObject({ code: 705, reason: refusal });
      expect(await readiness(late)).toBe(503);
      expect(await tryLogIn(late, "demo")).toMatchObject({ code: "705" });
      expect(await run(["migrate"]).ended).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
    });
  });

  /** Clients in each log-in mode that send requests in sequence, alternating between the servers. */
  class Traffic {
    private readonly failures: string[] = [];
    private readonly clients: Promise<void>[];
    private rounds = 0;
    private sent = 0;
    private isOver = false;

    constructor(public servers: readonly Subject[]) {
      this.clients = modes.map((mode) => this.work(mode, `In ${mode} mode`));
    }

    /** Waits until each client has begun and ended a round. */
    async resume(): Promise<void> {
      const enough = this.rounds + 2 * this.clients.length;
      await until(() => this.rounds >= enough || this.failures.length > 0);
    }

    /** The failures. */
    async end(): Promise<string[]> {
      this.isOver = true;
      await Promise.all(this.clients);
      return this.failures;
    }

    private async work(mode: (typeof modes)[number], name: string): Promise<void> {
      for (let round = 1; !this.isOver; round += 1, this.rounds += 1) {
        await turn();
        const what: string[] = [];
        const checked = async (step: string, answer: Promise<Answer>) => {
          what.push(step);
          const { code, body } = await answer;
          if (code !== "0") throw new Error(`${code} ${body.status?.debugMessage}`);
          return body.data;
        };
        try {
          what.push("log-in");
          const session = await openSession(this.next(), mode, "admin");
          const send = (...sent: Parameters<typeof callIn> extends [Subject, unknown, ...infer Rest] ? Rest : never) =>
            callIn(this.next(), session, ...sent);
          await checked("list", send("/v1/objects/Customer?perPage=2"));
          const body = { Name: `${name} ${round}` };
          const created = await checked("create", send("/v1/object/Customer", { method: "POST", body }));
          const path = `/v1/object/${created["~ObjectID"]}`;
          await checked("change", send(path, { method: "PATCH", body: { Name: `${name} ${round} changed` } }));
          await checked("read", send(path));
          await checked("delete", send(path, { method: "DELETE" }));
          await checked("log-out", send("/v1/logout", { method: "POST" }));
        } catch (error) {
          this.failures.push(`${name}, round ${round}, ${what.at(-1)}: ${error}`);
        }
      }
    }

    private next(): Subject {
      this.sent += 1;
      return this.servers[this.sent % this.servers.length] as Subject;
    }
  }
});
