import { tmpdir } from "node:os";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession, logOut, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { ServerProcess } from "./server-process.ts";

describe("two server processes on one Postgres", () => {
  let postgres: PostgresFixture;
  let processes: ServerProcess[];
  let one: { url: string };
  let other: { url: string };
  beforeAll(async () => {
    postgres = await openPostgresFixture({ empty: true });
    const environment = { DATABASE_URL: postgres.url, PORT: "0", LOG_LEVEL: "info", SESSION_LIMIT: "30" };
    // Both find an empty database at the same moment.
    processes = [1, 2].map(() => new ServerProcess(["serve"], environment, tmpdir()));
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
      // Requests under way while the session ends may still succeed; those sent afterwards may not.
      const underWay = [checkSession(here, sessionId), checkSession(there, sessionId)];
      expect(await logOut(there, sessionId)).toBe("0");
      const afterwards = await Promise.all([here, there, here, there].map((server) => checkSession(server, sessionId)));
      expect(afterwards).toEqual(["201", "201", "201", "201"]);
      for (const code of await Promise.all(underWay)) expect(["0", "201"]).toContain(code);
    }
  });

  test("hold the session limit together", async () => {
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

  test("give no two users names that look alike", async () => {
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

  test("let one be killed while the other serves, and its successor knows the sessions", async () => {
    const sessionId = await logIn(one, "demo");
    await processes[0]?.kill();
    expect(await checkSession(other, sessionId)).toBe("0");
    const environment = { DATABASE_URL: postgres.url, PORT: "0", LOG_LEVEL: "info" };
    processes[0] = new ServerProcess(["serve"], environment, tmpdir());
    expect(await checkSession({ url: await (processes[0] as ServerProcess).url() }, sessionId)).toBe("0");
  });

  async function customers(server: { url: string }): Promise<number> {
    const sessionId = await logIn(server, "reader");
    const { body } = await call(server, "/v1/objects/Customer?perPage=1", { sessionId });
    await logOut(server, sessionId);
    return body.data["~Count"];
  }
});
