import type { RunningServer } from "../src/index.ts";
import { logIn } from "./cases/run-cases.ts";
import { call, checkSession, logOut, tryLogIn } from "./client.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";

const tally = (codes: readonly string[]) => Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]));

describe("sessions", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo();
  }, 60_000);
  afterAll(() => postgres.close());

  const database = () => {
    const found = server.databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found;
  };
  const expire = (where: string) => postgres.sql.query(`update sallyport_demo.sessions set ${where}`);

  test("end with the log-out, and the second log-out finds none", async () => {
    const sessionId = await logIn(server, "demo");
    expect(await checkSession(server, sessionId)).toBe("0");
    expect(await logOut(server, sessionId)).toBe("0");
    expect(await checkSession(server, sessionId)).toBe("201");
    expect(await logOut(server, sessionId)).toBe("201");
  });

  test("of two log-outs at once, one ends the session", async () => {
    for (let round = 0; round < 10; round += 1) {
      const sessionId = await logIn(server, "demo");
      const codes = await Promise.all([logOut(server, sessionId), logOut(server, sessionId), logOut(server, sessionId)]);
      expect(tally(codes)).toEqual({ "0": 1, "201": 2 });
    }
  });

  test("have a new id at every log-in, and storage holds none of them", async () => {
    const ids = [await logIn(server, "demo"), await logIn(server, "demo")];
    expect(new Set(ids).size).toBe(2);
    const { rows } = await postgres.sql.query("select s::text as row from sallyport_demo.sessions s");
    for (const id of ids) expect(JSON.stringify(rows)).not.toContain(id);
  });

  test("are independent without a device, and replaced by a log-in of the same device", async () => {
    const alone = await logIn(server, "demo");
    const first = await logIn(server, "demo", { device: { deviceId: "tablet-1" } });
    const second = await logIn(server, "demo", { device: { deviceId: "tablet-1" } });
    const other = await logIn(server, "reader", { device: { deviceId: "tablet-1" } });
    const codes = await Promise.all([alone, first, second, other].map((id) => checkSession(server, id)));
    expect(codes).toEqual(["0", "201", "0", "0"]);
  });

  test("expire when idle, and a request keeps them alive until their absolute end", async () => {
    const sessionId = await logIn(server, "demo");
    await expire("expires_at = now() + interval '1 minute'");
    expect(await checkSession(server, sessionId)).toBe("0");
    const { rows } = await postgres.sql.query("select bool_or(expires_at > now() + interval '20 minutes') as extended from sallyport_demo.sessions");
    expect(rows[0].extended).toBe(true);

    await expire("ends_at = now() + interval '2 minutes', expires_at = now() + interval '1 minute'");
    expect(await checkSession(server, sessionId)).toBe("0");
    const bounded = await postgres.sql.query("select bool_and(expires_at <= ends_at) as bounded from sallyport_demo.sessions");
    expect(bounded.rows[0].bounded).toBe(true);

    await expire("expires_at = now() - interval '1 millisecond'");
    expect(await checkSession(server, sessionId)).toBe("201");
  });

  test("are good with the app key that opened them only", async () => {
    const sessionId = await logIn(server, "demo");
    const key = { name: "another", appNames: null, origins: [] };
    const { createHash } = await import("node:crypto");
    await database().storage.repositories.appKeys.create(key, createHash("sha256").update("another-key").digest("hex"));
    const answer = await call(server, "/_CheckSession", { sessionId, headers: { appkey: "another-key" } });
    expect(answer).toMatchObject({ status: 401, code: "201" });
    expect(await checkSession(server, sessionId)).toBe("0");
  });

  test("end at once when the user is disabled, who is then refused like a stranger", async () => {
    const sessionId = await logIn(server, "reader");
    const { accounts } = database().storage.repositories;
    const account = await accounts.byLoginName("reader");
    await accounts.setDisabled(account?.userId as string, true);
    expect(await checkSession(server, sessionId)).toBe("201");
    const refused = await tryLogIn(server, "reader");
    const stranger = await tryLogIn(server, "nobody");
    expect(refused.body).toEqual(stranger.body);
    expect(refused.status).toBe(403);
    await accounts.setDisabled(account?.userId as string, false);
    expect(await checkSession(server, sessionId)).toBe("0");
  });

  test("end when the secret changes that opened them", async () => {
    const sessionId = await logIn(server, "reader");
    const { accounts } = database().storage.repositories;
    const account = await accounts.byLoginName("reader");
    if (account === null) throw new Error("The demo has no reader.");
    expect(await accounts.setSecret(account.userId, account.secret, account.secretVersion)).toBe("stored");
    expect(await checkSession(server, sessionId)).toBe("201");
    expect(await checkSession(server, await logIn(server, "reader"))).toBe("0");
  });

  test("are unchanged when the log-out fails in storage", async () => {
    const sessionId = await logIn(server, "demo");
    await postgres.sql.query(`create function sallyport_demo.refuse() returns trigger language plpgsql as $$ begin raise 'out of ink'; end $$`);
    await postgres.sql.query("create trigger refuse before delete on sallyport_demo.sessions execute function sallyport_demo.refuse()");
    const failed = await call(server, "/v1/logout", { method: "POST", sessionId });
    await postgres.sql.query("drop trigger refuse on sallyport_demo.sessions");
    expect(failed).toMatchObject({ status: 500, code: "703" });
    expect(JSON.stringify(failed.body)).not.toContain("ink");
    expect(await checkSession(server, sessionId)).toBe("0");
    expect(await logOut(server, sessionId)).toBe("0");
  });

  test("are not opened when the audit cannot be written", async () => {
    const count = async () => Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);
    const before = await count();
    await postgres.sql.query("create trigger refuse before insert on sallyport_demo.audit execute function sallyport_demo.refuse()");
    const failed = await tryLogIn(server, "demo");
    await postgres.sql.query("drop trigger refuse on sallyport_demo.audit");
    expect(failed).toMatchObject({ status: 500, code: "799" });
    expect(JSON.stringify(failed.body)).not.toContain("ink");
    expect(await count()).toBe(before);
  });

  test("leave a trail: who came in, who was refused, who left", async () => {
    const { audit } = database().storage.repositories;
    const last = Math.max(0, ...(await audit.read(0, 10_000)).map(({ sequence }) => sequence));
    const sessionId = await logIn(server, "demo");
    await tryLogIn(server, "demo", { pass: "my-secret-typo" }, { "x-request-id": "trail-2" });
    await logOut(server, sessionId);
    const events = await audit.read(last, 10);
    expect(events.map(({ type, outcome }) => [type, outcome])).toEqual([["login.accepted", 0], ["login.refused", 302], ["logout", 0]]);
    expect(events[1]).toMatchObject({ requestId: "trail-2", address: "127.0.0.1", appNames: ["demo-app"] });
    expect(JSON.stringify(events)).not.toContain("secret-typo");
    expect(JSON.stringify(events)).not.toContain(sessionId);
  });
});
