import { tmpdir } from "node:os";
import { jest } from "@jest/globals";
import { until } from "@sallyport/test-kit/jest/until";
import { logIn } from "../../cases/run-cases.ts";
import { type Answer, call, checkSession, logOut, tryLogIn } from "../../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../../postgres-fixture.ts";
import { requireVerified } from "../../require-intact.ts";
import { operatorProgram, ServerProcess } from "../server-process.ts";

describe("two server processes on one Postgres", () => {
  jest.setTimeout(60_000);

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
      const afterwards = await Promise.all([here, there, here, there].map((server) => checkSession(server, sessionId)));
      expect(afterwards).toEqual(["201", "201", "201", "201"]);
      for (const code of await Promise.all(underWay)) expect(["0", "201"]).toContain(code);
    }
  });

  /** Logs in this often at once, half of the times at each server. */
  const logInOften = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => served(() => tryLogIn(n % 2 === 0 ? one : other, "reader"))));

  test("share the session limit", async () => {
    const before = Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);
    const answers = await logInOften(60);
    expect(tally(answers)).toEqual({ 0: 30 - before, 315: 30 + before });
    const { rows } = await postgres.sql.query("select count(*) from sallyport_demo.sessions");
    expect(Number(rows[0].count)).toBe(30);
    await Promise.all(answers.flatMap(({ body }) => body.data?.sessionId ?? []).map((id: string) => logOut(one, id)));
  });

  const limits = async (...args: readonly string[]) => {
    const words = ["--local", "limits", ...args];
    const { code, stderr } = await new ServerProcess(words, environment(), tmpdir(), "", operatorProgram).ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  };

  test("apply a changed session limit, and keep the sessions of a higher one", async () => {
    await limits("set", "sessions.limit=50");
    const answers = await logInOften(80);
    const before = Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);
    expect(before).toBe(50);
    const opened = answers.flatMap(({ body }) => body.data?.sessionId ?? []);
    expect(tally(answers)).toEqual({ 0: opened.length, 315: 80 - opened.length });
    await limits("unset", "sessions.limit");
    // The sessions of a higher limit stay, and no log-in succeeds until there are fewer than the limit.
    expect((await tryLogIn(one, "reader")).code).toBe("315");
    await Promise.all(opened.map((id: string) => logOut(other, id)));
    const again = await logInOften(60);
    const sessions = again.flatMap(({ body }) => body.data?.sessionId ?? []);
    expect(sessions).toHaveLength(30 - (50 - opened.length));
    await Promise.all(sessions.map((id: string) => logOut(one, id)));
  });

  test.each([40, 4])("share a burst of %i requests, and differ from it by at most two quarters", async (burst) => {
    const [sessionId, counted] = [await logIn(one, "demo"), await logIn(one, "demo")];
    await limits("set", "rates.session.perMinute=1", `rates.session.burst=${burst}`);
    const began = performance.now();
    const check = (n: number) => call(n % 2 === 0 ? one : other, "/_CheckSession", { sessionId });
    const answers = await Promise.all(Array.from({ length: 10 * burst }, (_, n) => served(() => check(n))));
    const codes = answers.map(({ code }) => code);
    const accepted = codes.filter((code) => code === "0").length;
    const minutes = Math.ceil((performance.now() - began) / 60_000);
    expect(accepted).toBeGreaterThanOrEqual(burst);
    expect(accepted).toBeLessThanOrEqual(burst + 2 * (burst / 4) + minutes);
    expect(tally(answers)).toEqual({ 0: accepted, 800: 10 * burst - accepted });
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

/**
 * The answer of a server that has time for the request. One that is overloaded refuses it before it counts, with 607 or 706,
 * and the client sends it again.
 */
async function served(send: () => Promise<Answer>): Promise<Answer> {
  return until(async () => {
    const answer = await send();
    return answer.code === "607" || answer.code === "706" ? undefined : answer;
  });
}

/** The number of answers by code. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
