import type { ClientSession } from "@sallyport/client";
import type { RunningServer } from "../src/index.ts";
import { callIn, checkSessionIn as checkSession, logOutIn as logOut, tryLogIn } from "./client.ts";
import { headerOf, modes, overCode } from "./modes.ts";
import { openSession, type OpeningOptions } from "./open-session.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";

/** What proves a session, as it travels. */
const credentialOf = async (session: ClientSession) => {
  const { headers } = await session.seal({ headers: {} });
  return (headers[headerOf[session.mode]] ?? "").replace("Bearer ", "");
};
const tally = (codes: readonly string[]) => Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]));

describe("sessions", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    // Failures in one mode must not lock out the next.
    server = await postgres.demo({ THROTTLE_ADDRESS_FREE_FAILURES: "1000" });
  }, 60_000);
  afterAll(() => postgres.close());

  const database = () => {
    const found = server.databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found;
  };
  const expire = (where: string) => postgres.sql.query(`update sallyport_demo.sessions set ${where}`);

  describe.each(modes)("in mode %s", (mode) => {
    const over = overCode[mode];
    const logIn = (user: string, more?: OpeningOptions) => openSession(server, mode, user, more);

    test("end with the log-out, and the second log-out finds none", async () => {
      const session = await logIn("demo");
      expect(await checkSession(server, session)).toBe("0");
      expect(await logOut(server, session)).toBe("0");
      expect(await checkSession(server, session)).toBe(over);
      expect(await logOut(server, session)).toBe(over);
    });

    test("of two log-outs at once, one ends the session", async () => {
      for (let round = 0; round < 10; round += 1) {
        const session = await logIn("demo");
        const codes = await Promise.all([logOut(server, session), logOut(server, session), logOut(server, session)]);
        expect(tally(codes)).toEqual({ "0": 1, [over]: 2 });
      }
    });

    test("have a new id at every log-in, and storage holds none of them", async () => {
      const sessions = [await logIn("demo"), await logIn("demo")];
      const ids = await Promise.all(sessions.map(credentialOf));
      expect(new Set(ids).size).toBe(2);
      const { rows } = await postgres.sql.query("select s::text as row from sallyport_demo.sessions s");
      for (const id of ids) expect(JSON.stringify(rows)).not.toContain(id);
    });

    test("are independent without a device, and replaced by a log-in of the same device", async () => {
      const alone = await logIn("demo");
      const first = await logIn("demo", { device: { deviceId: "tablet-1" } });
      const second = await logIn("demo", { device: { deviceId: "tablet-1" } });
      const other = await logIn("reader", { device: { deviceId: "tablet-1" } });
      const codes = await Promise.all([alone, first, second, other].map((id) => checkSession(server, id)));
      expect(codes).toEqual(["0", over, "0", "0"]);
    });

    test("expire when idle, and a request keeps them alive until their absolute end", async () => {
      const session = await logIn("demo");
      await expire("expires_at = now() + interval '1 minute'");
      expect(await checkSession(server, session)).toBe("0");
      const { rows } = await postgres.sql.query("select bool_or(expires_at > now() + interval '20 minutes') as extended from sallyport_demo.sessions");
      expect(rows[0].extended).toBe(true);

      await expire("ends_at = now() + interval '2 minutes', expires_at = now() + interval '1 minute'");
      expect(await checkSession(server, session)).toBe("0");
      const bounded = await postgres.sql.query("select bool_and(expires_at <= ends_at) as bounded from sallyport_demo.sessions");
      expect(bounded.rows[0].bounded).toBe(true);

      await expire("expires_at = now() - interval '1 millisecond'");
      expect(await checkSession(server, session)).toBe(over);
    });

    test("are good with the app key that opened them only", async () => {
      const session = await logIn("demo");
      const key = { name: `another-${mode}`, appNames: null, origins: [] };
      const { createHash } = await import("node:crypto");
      await database().storage.repositories.appKeys.create(key, createHash("sha256").update(`another-key-${mode}`).digest("hex"));
      const answer = await callIn(server, session, "/_CheckSession", { headers: { appkey: `another-key-${mode}` } });
      expect(answer).toMatchObject({ status: 401, code: over });
      expect(await checkSession(server, session)).toBe("0");
    });

    test("end at once when the user is disabled, who is then refused like a stranger", async () => {
      const session = await logIn("reader");
      const { accounts } = database().storage.repositories;
      const account = await accounts.byLoginName("reader");
      await accounts.setDisabled(account?.userId as string, true);
      expect(await checkSession(server, session)).toBe(over);
      const refused = await tryLogIn(server, "reader");
      const stranger = await tryLogIn(server, "nobody");
      expect(refused.body).toEqual(stranger.body);
      expect(refused.status).toBe(403);
      await accounts.setDisabled(account?.userId as string, false);
      expect(await checkSession(server, session)).toBe("0");
    });

    test("end when the secret changes that opened them", async () => {
      const session = await logIn("reader");
      const { accounts } = database().storage.repositories;
      const account = await accounts.byLoginName("reader");
      if (account === null) throw new Error("The demo has no reader.");
      expect(await accounts.setSecret(account.userId, account.secret, account.secretVersion)).toBe("stored");
      expect(await checkSession(server, session)).toBe(over);
      expect(await checkSession(server, await logIn("reader"))).toBe("0");
    });

    test("are unchanged when the log-out fails in storage", async () => {
      const session = await logIn("demo");
      await postgres.sql.query(`create or replace function sallyport_demo.refuse() returns trigger language plpgsql as $$ begin raise 'out of ink'; end $$`);
      await postgres.sql.query("create trigger refuse before delete on sallyport_demo.sessions execute function sallyport_demo.refuse()");
      const failed = await callIn(server, session, "/v1/logout", { method: "POST" });
      await postgres.sql.query("drop trigger refuse on sallyport_demo.sessions");
      expect(failed).toMatchObject({ status: 500, code: "703" });
      expect(JSON.stringify(failed.body)).not.toContain("ink");
      expect(await checkSession(server, session)).toBe("0");
      expect(await logOut(server, session)).toBe("0");
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
      const session = await logIn("demo");
      await tryLogIn(server, "demo", { pass: "my-secret-typo" }, { "x-request-id": "trail-2" });
      await logOut(server, session);
      const events = await audit.read(last, 10);
      expect(events.map(({ type, outcome }) => [type, outcome])).toEqual([["login.accepted", 0], ["login.refused", 302], ["logout", 0]]);
      expect(events[1]).toMatchObject({ requestId: "trail-2", address: "127.0.0.1", appNames: ["demo-app"] });
      expect(JSON.stringify(events)).not.toContain("secret-typo");
      expect(JSON.stringify(events)).not.toContain(await credentialOf(session));
    });
  });
});
