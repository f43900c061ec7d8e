import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import pg from "pg";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession, logOut, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { SeededRandom } from "../../src/demo/demo-records.ts";
import { killClient, ServerProcesses, takeTurns } from "../uploads/upload-trials.ts";
import { requireVerified } from "../require-intact.ts";
import { type Ended, ServerProcess } from "./server-process.ts";
import { stormSuite } from "./storm-suite.ts";
import { workersSuite } from "./workers-suite.ts";
import { upgradeSuite } from "./upgrade-suite.ts";

describe("postgres", () => {
  jest.setTimeout(60_000);

  describe("two server processes on one Postgres", () => {
    let postgres: PostgresFixture;
    let processes: ServerProcess[];
    let one: { url: string };
    let other: { url: string };
    const environment = () => ({ DATABASE_URL: postgres.url, PORT: "0", LOG_LEVEL: "info", SESSION_LIMIT: "30" });
    beforeAll(async () => {
      postgres = await openPostgresFixture({ empty: true });
      // Both find an empty database at the same moment.
      processes = [1, 2].map(() => new ServerProcess(["serve"], environment(), tmpdir()));
      const urls = await Promise.all(processes.map((process) => process.url()));
      [one, other] = urls.map((url) => ({ url })) as [{ url: string }, { url: string }];
    }, 60_000);
    afterAll(async () => {
      await Promise.all(processes.map((process) => process.kill()));
      await postgres.close();
    });

    test("migrate and seed once", async () => {
      const counts = await Promise.all([one, other].map((server) => customers(server)));
      expect(counts).toEqual([200, 200]);
    });

    test("share sessions, and neither accepts one after its log-out was answered", async () => {
      for (let round = 0; round < 25; round += 1) {
        const [here, there] = round % 2 === 0 ? [one, other] : [other, one];
        const sessionId = await logIn(here, "demo");
        expect(await checkSession(there, sessionId)).toBe("0");
        // Requests in progress during the log-out may still succeed; later ones may not.
        const underWay = [checkSession(here, sessionId), checkSession(there, sessionId)];
        expect(await logOut(there, sessionId)).toBe("0");
        const afterwards = await Promise.all(
          [here, there, here, there].map((server) => checkSession(server, sessionId)),
        );
        expect(afterwards).toEqual(["201", "201", "201", "201"]);
        for (const code of await Promise.all(underWay)) expect(["0", "201"]).toContain(code);
      }
    });

    test("share the session limit", async () => {
      const before = Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => tryLogIn(n % 2 === 0 ? one : other, "reader")),
      );
      expect(answers.filter(({ code }) => code === "0")).toHaveLength(30 - before);
      expect(answers.filter(({ code }) => code === "315")).toHaveLength(30 + before);
      const { rows } = await postgres.sql.query("select count(*) from sallyport_demo.sessions");
      expect(Number(rows[0].count)).toBe(30);
      await Promise.all(answers.flatMap(({ body }) => body.data?.sessionId ?? []).map((id: string) => logOut(one, id)));
    });

    const limits = async (...args: readonly string[]) => {
      expect(await new ServerProcess(["limits", ...args], environment(), tmpdir()).ended).toMatchObject({ code: 0 });
    };

    test("apply a changed session limit, and keep the sessions of a higher one", async () => {
      await limits("set", "sessions.limit=50");
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, n) => tryLogIn(n % 2 === 0 ? one : other, "reader")),
      );
      const before = Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);
      expect(before).toBe(50);
      const opened = answers.flatMap(({ body }) => body.data?.sessionId ?? []);
      expect(answers.filter(({ code }) => code === "315")).toHaveLength(80 - opened.length);
      await limits("unset", "sessions.limit");
      // The sessions of a higher limit stay, and no log-in succeeds until there are fewer than the limit.
      expect((await tryLogIn(one, "reader")).code).toBe("315");
      await Promise.all(opened.map((id: string) => logOut(other, id)));
      const again = await Promise.all(
        Array.from({ length: 60 }, (_, n) => tryLogIn(n % 2 === 0 ? one : other, "reader")),
      );
      const sessions = again.flatMap(({ body }) => body.data?.sessionId ?? []);
      expect(sessions).toHaveLength(30 - (50 - opened.length));
      await Promise.all(sessions.map((id: string) => logOut(one, id)));
    });

    test.each([40, 4])("share a burst of %i requests, and differ from it by at most two quarters", async (burst) => {
      const [sessionId, counted] = [await logIn(one, "demo"), await logIn(one, "demo")];
      await limits("set", "rates.session.perMinute=1", `rates.session.burst=${burst}`);
      const began = performance.now();
      const codes = await Promise.all(
        Array.from({ length: 10 * burst }, (_, n) => checkSession(n % 2 === 0 ? one : other, sessionId)),
      );
      const accepted = codes.filter((code) => code === "0").length;
      const minutes = Math.ceil((performance.now() - began) / 60_000);
      expect(accepted).toBeGreaterThanOrEqual(burst);
      expect(accepted).toBeLessThanOrEqual(burst + 2 * (burst / 4) + minutes);
      expect(codes.filter((code) => code === "800")).toHaveLength(10 * burst - accepted);
      // A server alone is exact, also beside another.
      const alone = [];
      for (let count = 0; count < burst + 2; count += 1) alone.push(await checkSession(one, counted));
      expect(alone).toEqual([...Array<string>(burst).fill("0"), "800", "800"]);
      await limits("unset", "rates.session.perMinute", "rates.session.burst");
      for (const id of [sessionId, counted]) expect(await logOut(other, id)).toBe("0");
    });

    test("reserve a name and its look-alikes for one user", async () => {
      const sessions = await Promise.all([one, other].map((server) => logIn(server, "admin")));
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          call(n % 2 === 0 ? one : other, "/v1/object/User", {
            method: "POST",
            sessionId: sessions[n % 2] as string,
            body: { Name: n < 5 ? "Quentin" : "QUENTIN" },
          }),
        ),
      );
      expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array(9).fill("307")]);
    });

    test("survive the end of one, and its successor knows the sessions", async () => {
      const sessionId = await logIn(one, "demo");
      await processes[0]?.kill();
      expect(await checkSession(other, sessionId)).toBe("0");
      processes[0] = new ServerProcess(["serve"], environment(), tmpdir());
      expect(await checkSession({ url: await (processes[0] as ServerProcess).url() }, sessionId)).toBe("0");
      await requireVerified(environment(), tmpdir());
    });

    async function customers(server: { url: string }): Promise<number> {
      const sessionId = await logIn(server, "reader");
      const { body } = await call(server, "/v1/objects/Customer?perPage=1", { sessionId });
      await logOut(server, sessionId);
      return body.data["~Count"];
    }
  });

  describe("workers of one server", () => {
    workersSuite();
  });

  describe("storms of log-ins at two server processes", () => {
    stormSuite();
  });

  describe("uploads to server processes", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-uploads-"));
    const random = new SeededRandom(folder);
    let postgres: PostgresFixture;
    let servers: ServerProcesses;
    beforeAll(async () => {
      process.stdout.write(`uploads to server processes: seed ${folder}\n`);
      postgres = await openPostgresFixture({ empty: true });
      servers = new ServerProcesses(folder, postgres.url);
    });
    afterAll(async () => {
      await servers.close();
      await postgres.close();
      rmSync(folder, { recursive: true });
    });

    test("survive the deaths of their client", async () => {
      await killClient(servers, 10, random);
    });

    test("go to two servers in turns, and survive the death of one", async () => {
      await takeTurns(servers, { chunks: 12, kills: 1, random });
    });
  });

  describe("postgres diagnostics", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-trouble-"));
    let postgres: RealPostgres;
    let scratch: ScratchDatabase;
    let sql: pg.Client;
    let role: string;
    let host: string;

    beforeAll(async () => {
      postgres = await startRealPostgres();
      scratch = await postgres.createDatabase();
      ({ host } = new URL(scratch.directUrl));
      sql = new pg.Client({ connectionString: scratch.directUrl });
      await sql.connect();
      role = `role_${scratch.name.slice(-12)}`;
      await sql.query(`create role ${role} login password 'pw'`);
    });
    afterAll(async () => {
      await sql.query(`drop owned by ${role}; drop role ${role}`);
      await sql.end();
      await scratch.drop();
      await postgres.stop();
      rmSync(folder, { recursive: true });
    });

    function url(change: {
      readonly username?: string;
      readonly password?: string;
      readonly pathname?: string;
    }): string {
      return Object.assign(new URL(scratch.directUrl), change).href;
    }

    function run(args: readonly string[], databaseUrl: string): Promise<Ended> {
      return new ServerProcess(args, { NODE_ENV: "production", DATABASE_URL: databaseUrl }, folder).ended;
    }

    test.each([
      [
        "a database that does not exist",
        { pathname: "/no-such" },
        () => `The database "no-such" does not exist on the Postgres server at ${host}. Create it: createdb -h`,
      ],
      [
        "a role without access",
        { username: "nobody_here", password: "pw" },
        () => /refused the password of the role "nobody_here"|refused the role "nobody_here"/,
      ],
    ])("migrate explains %s", async (_title, change, expected) => {
      const { code, stdout, stderr } = await run(["migrate"], url(change));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      const words = expected();
      if (typeof words === "string") expect(stderr).toContain(words);
      else expect(stderr).toMatch(words);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).not.toContain("sallyport-server migrate");
    });

    test("migrate reports a required password, and ends", async () => {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => {
          socket.write(authentication(10, "SCRAM-SHA-256\0\0"));
          socket.once("data", () => socket.write(authentication(11, "r=nonce,s=c2FsdA==,i=4096")));
        });
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const { code, stderr } = await run(["migrate"], `postgres://shop@127.0.0.1:${port}/till`);
      server.close();
      expect(code).toBe(1);
      expect(stderr).toBe(
        `error: database (empty): The Postgres server at 127.0.0.1:${port} requires a password of the role "shop". The connection string has none.\n`,
      );
    });

    /** A message of a Postgres that asks for authentication. */
    function authentication(step: number, data: string): Buffer {
      const head = Buffer.alloc(9);
      head.write("R");
      head.writeInt32BE(8 + data.length, 1);
      head.writeInt32BE(step, 5);
      return Buffer.concat([head, Buffer.from(data)]);
    }

    test("migrate prints how a superuser creates the schema, and succeeds afterwards", async () => {
      const as = url({ username: role, password: "pw" });
      const refused = await run(["migrate"], as);
      const remedy = `create schema sallyport authorization ${role}`;
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /^error: .*: The role "\w+" cannot create the schema "sallyport" in the database "\w+"\. /,
      );
      expect(refused.stderr.trimEnd().endsWith(`Run as a superuser: ${remedy}`)).toBe(true);
      await sql.query(remedy);
      await expect(run(["migrate"], as)).resolves.toMatchObject({ code: 0, stderr: "" });
    });

    test("a server with a missing database logs it, and stays alive", async () => {
      const file = join(folder, "serve.json");
      writeFileSync(file, JSON.stringify({ databases: [{ storage: { url: url({ pathname: "/no-such" }) } }] }));
      const server = new ServerProcess(["serve", "--config", file], { PORT: "0" }, folder);
      try {
        await server.url();
        const line = await server.logged("Database unavailable");
        expect(line).toMatchObject({
          level: "warn",
          alias: "",
          code: 705,
          reason: expect.stringContaining('The database "no-such" does not exist'),
        });
        expect(line).not.toHaveProperty("err");
      } finally {
        await server.kill();
      }
    });
  });
});

upgradeSuite();
