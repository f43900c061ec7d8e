import type { RunningServer } from "../../src/index.ts";
import { callIn, checkSessionIn as checkSession, logOutIn as logOut, tryLogIn } from "../client.ts";
import { credentialOf } from "../credential-of.ts";
import { withoutLockout } from "../engines.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

describe("sessions on Postgres", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo(withoutLockout);
  }, 60_000);
  afterAll(() => postgres.close());

  const expire = (where: string) => postgres.sql.query(`update sallyport_demo.sessions set ${where}`);

  describe.each(testedModes)("in mode %s", (mode) => {
    const over = sessionEndedCode[mode];
    const logIn = (user: string) => openSession(server, mode, user);

    test("have a credential that the storage does not contain", async () => {
      const credential = await credentialOf(await logIn("demo"));
      const { rows } = await postgres.sql.query("select s::text as row from sallyport_demo.sessions s");
      expect(rows.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows)).not.toContain(credential);
    });

    test("expire when idle, and requests extend them until their absolute end", async () => {
      const session = await logIn("demo");
      await expire("expires_at = now() + interval '1 minute'");
      expect(await checkSession(server, session)).toBe("0");
      const { rows } = await postgres.sql.query(
        "select bool_or(expires_at > now() + interval '20 minutes') as extended from sallyport_demo.sessions",
      );
      expect(rows[0].extended).toBe(true);

      await expire("ends_at = now() + interval '2 minutes', expires_at = now() + interval '1 minute'");
      expect(await checkSession(server, session)).toBe("0");
      const bounded = await postgres.sql.query(
        "select bool_and(expires_at <= ends_at) as bounded from sallyport_demo.sessions",
      );
      expect(bounded.rows[0].bounded).toBe(true);

      await expire("expires_at = now() - interval '1 millisecond'");
      expect(await checkSession(server, session)).toBe(over);
    });

    test("are unchanged when the log-out fails in the storage", async () => {
      const session = await logIn("demo");
      await postgres.sql.query(
        `create or replace function sallyport_demo.refuse() returns trigger language plpgsql as $$ begin raise 'out of ink'; end $$`,
      );
      await postgres.sql.query(
        "create trigger refuse before delete on sallyport_demo.sessions execute function sallyport_demo.refuse()",
      );
      const failed = await callIn(server, session, "/v1/logout", { method: "POST" });
      await postgres.sql.query("drop trigger refuse on sallyport_demo.sessions");
      expect(failed).toMatchObject({ status: 500, code: "703" });
      expect(JSON.stringify(failed.body)).not.toContain("ink");
      expect(await checkSession(server, session)).toBe("0");
      expect(await logOut(server, session)).toBe("0");
    });

    test("are not opened when the audit cannot be written", async () => {
      const count = async () =>
        Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);
      const before = await count();
      await postgres.sql.query(
        "create trigger refuse before insert on sallyport_demo.audit execute function sallyport_demo.refuse()",
      );
      const failed = await tryLogIn(server, "demo");
      await postgres.sql.query("drop trigger refuse on sallyport_demo.audit");
      expect(failed).toMatchObject({ status: 503, code: "706" });
      expect(JSON.stringify(failed.body)).not.toContain("ink");
      expect(await count()).toBe(before);
    });
  });
});
