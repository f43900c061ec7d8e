import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { Applications } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { call, checkSession } from "../client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  attempt,
  Authenticator,
  logInWithFactor,
  factorRequests,
  secondFactorEnvironment,
} from "../second-factor-client.ts";
import { runCommand, runOperator } from "./run-command.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

describe("custom user commands", () => {
  jest.setTimeout(240_000);

  describe("custom user commands", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-custom-users-"));
    let postgres: PostgresFixture;
    let servers: ServerProcess[];
    let one: { url: string };
    let other: { url: string };

    beforeAll(async () => {
      postgres = await openPostgresFixture();
      servers = [1, 2].map(() => new ServerProcess(["serve"], { DATABASE_URL: postgres.url, PORT: "0" }, folder));
      [one, other] = (await Promise.all(servers.map((server) => server.url()))).map((url) => ({ url })) as [
        { url: string },
        { url: string },
      ];
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.kill()));
      await postgres.close();
      rmSync(folder, { recursive: true });
    });

    const runWith = (input: string | undefined, ...args: string[]): Promise<Ended> =>
      runOperator(["custom-user", ...args], { DATABASE_URL: postgres.url }, folder, input);
    const run = (...args: string[]): Promise<Ended> => runWith(undefined, ...args);
    const done = (words: string) => ({ code: 0, stdout: `${words}\n` });
    const refused = (words: string) => ({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`^note: .*\nerror: [^]*${words}`)),
    });
    const logIn = (server: { url: string }, user: string, pass: string) =>
      call(server, "/v1/auth/df", { method: "POST", body: { user, pass, appNames: "demo-app" } });
    const sessionOf = async (server: { url: string }, user: string, pass: string): Promise<string> =>
      (await logIn(server, user, pass)).body.data.sessionId;

    test("add, list, show and change custom users, and take effect on every server at once", async () => {
      expect(
        await runWith("a word of my own\n", "create", "Zoë", "--user", "reader", "--email", "zoe@example.com"),
      ).toMatchObject(done('Created custom user "Zoë", mapped to "reader".'));
      const listed = JSON.parse((await run("list", "--json")).stdout);
      const ids = { customUserId: expect.stringMatching(/^[0-9a-f-]{36}$/), userId: expect.any(String) };
      expect(listed).toEqual([
        { name: "Zoë", ...ids, enabled: true, user: "reader", email: "zoe@example.com" },
        { name: "partner", ...ids, enabled: true, user: "reader", email: "partner@example.com" },
      ]);
      expect((await run("list")).stdout).toBe(
        "NAME     STATE    MAPPED TO  EMAIL\nZoë      enabled  reader     zoe@example.com\npartner  enabled  reader     partner@example.com\n",
      );
      expect(JSON.parse((await run("show", "Zoë", "--json")).stdout)).toEqual(listed[0]);
      expect((await run("show", "Zoë")).stdout).toMatch(
        /^name +Zoë\nid +[0-9a-f-]{36}\nstate +enabled\nmapped to +reader \(\w+\)\ne-mail +zoe@example\.com\n$/,
      );
      expect((await logIn(one, "Zoë", "a word of my own")).body.data.user.Name).toBe("reader");

      const session = await sessionOf(one, "Zoë", "a word of my own");
      expect(await checkSession(other, session)).toBe("0");
      expect(await run("disable", "Zoë")).toMatchObject(done('Disabled custom user "Zoë". Their sessions have ended.'));
      expect([await checkSession(one, session), await checkSession(other, session)]).toEqual(["201", "201"]);
      expect([
        (await logIn(one, "Zoë", "a word of my own")).code,
        (await logIn(other, "Zoë", "a word of my own")).code,
      ]).toEqual(["302", "302"]);
      expect(await run("enable", "Zoë")).toMatchObject(done('Enabled custom user "Zoë".'));

      const second = await sessionOf(other, "Zoë", "a word of my own");
      expect(await runWith("quite another word", "set-password", "Zoë")).toMatchObject(
        done('Set the password of "Zoë" and ended all sessions.'),
      );
      expect([await checkSession(one, second), await checkSession(other, second)]).toEqual(["201", "201"]);
      expect([
        (await logIn(one, "Zoë", "a word of my own")).code,
        (await logIn(one, "Zoë", "quite another word")).code,
      ]).toEqual(["302", "0"]);

      expect(await run("map", "Zoë", "demo")).toMatchObject(done('Mapped "Zoë" to "demo".'));
      expect((await logIn(other, "Zoë", "quite another word")).body.data.user.Name).toBe("demo");
      expect(await run("set-email", "Zoë", "zoe@example.org")).toMatchObject(done('Set the e-mail address of "Zoë".'));
      expect(await run("set-email", "Zoë", "--none")).toMatchObject(done('Set the e-mail address of "Zoë".'));
      expect(await run("remove", "Zoë")).toMatchObject(done('Removed custom user "Zoë". One session has ended.'));
      expect((await logIn(other, "Zoë", "quite another word")).code).toBe("302");

      const { rows } = await postgres.sql.query(
        "select type, actor_id is null and subject_id is not null as known, app_key_id from sallyport_demo.audit where type like 'custom%' order by sequence",
      );
      const types = [
        "customUser.created",
        "customUser.disabled",
        "customUser.enabled",
        "customPassword.changed",
        "customUser.changed",
        "customUser.changed",
        "customUser.changed",
        "customUser.removed",
      ];
      expect(rows).toEqual(types.map((type) => ({ type, known: true, app_key_id: "" })));
    });

    test("refuse invalid arguments in plain words, and nothing changes", async () => {
      expect(await run("show", "nobody")).toMatchObject(refused('There is no custom user "nobody".'));
      for (const verb of ["disable", "enable", "remove"])
        expect(await run(verb, "nobody")).toMatchObject(refused('There is no custom user "nobody".'));
      expect(await runWith("a word of my own", "create", "PARTNER", "--user", "reader")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("in use, or too similar to one in use"),
      });
      expect(await runWith("a word of my own", "create", "new", "--user", "nobody")).toMatchObject(
        refused('There is no user "nobody".'),
      );
      expect(await runWith("short", "create", "new", "--user", "reader")).toMatchObject(
        refused("The password has fewer than"),
      );
      expect(await runWith("a word of my own", "create", " ", "--user", "reader")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("must have 1 to 1024 characters"),
      });
      expect(await runWith("a word of my own", "create", "new")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--user"),
      });
      for (const address of ["ada", "Ada <ada@example.com>", "a@example.com,b@example.com"])
        expect(await run("set-email", "partner", address)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining("is not an e-mail address"),
        });
      expect(await run("set-email", "partner")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("Pass an address or --none."),
      });
      expect(await run("map", "partner", "nobody")).toMatchObject(refused('There is no user "nobody".'));
      expect(await run("lst")).toMatchObject({ code: 2, stderr: expect.stringContaining("list") });
      expect((await logIn(one, "partner", "partner")).code).toBe("0");
    });
  });

  describe("second factor commands", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-second-factors-"));
    let postgres: PostgresFixture;
    let server: RunningServer;

    beforeAll(async () => {
      postgres = await openPostgresFixture();
      server = await postgres.demo(secondFactorEnvironment);
    });
    afterAll(async () => {
      await postgres.close();
      rmSync(folder, { recursive: true });
    });

    const environment = () => ({ DATABASE_URL: postgres.url, MASTER_KEY: secondFactorEnvironment.MASTER_KEY });
    const run = (...args: string[]): Promise<Ended> => runOperator(args, environment(), folder);
    const done = (words: string) => ({ code: 0, stdout: `${words}\n` });
    const refused = (words: string) => ({ code: 1, stdout: "", stderr: expect.stringContaining(words) });

    test("set the rule of an app name, list and remove factors, and take effect on running servers at once", async () => {
      expect(await run("app", "create", "office", "--second-factor", "maybe")).toMatchObject({
        ...refused('--second-factor must be off or optional or forced, not "maybe".'),
        code: 2,
      });
      expect(await run("app", "create", "office", "--second-factor", "optional")).toMatchObject(
        done('Created app name "office".'),
      );
      expect(await run("app", "second-factor", "nowhere", "forced")).toMatchObject(
        refused("There is no app name of this name."),
      );
      expect((await run("app", "list")).stdout).toContain("office      unlimited  concurrent  0      optional\n");
      expect(JSON.parse((await run("app", "list", "--json")).stdout)).toContainEqual({
        name: "office",
        seats: null,
        seatKind: "concurrent",
        taken: 0,
        secondFactor: "optional",
      });

      const factor = factorRequests(server, await logInWithFactor(server, "session", "reader", ["office"]), "office");
      const { secret, recoveryCodes } = await factor.enrol();
      const authenticator = await Authenticator.of(server, secret);
      expect((await factor.confirm(authenticator.token())).code).toBe("0");
      const logIn = (more = {}) => attempt(server, "session", { user: "reader", appNames: ["office"], ...more });
      expect(await logIn()).toBe("341");

      const ofAll = (...args: string[]) => runCommand(["second-factor", "list", ...args], environment(), folder);
      const listed = await ofAll();
      expect(listed.stdout).toBe("USER    APP NAME  STATE      RECOVERY CODES\nreader  office    confirmed  10\n");
      expect((await run("second-factor", "list", "reader")).stdout).toMatch(/office +confirmed +10$/m);
      const json = (await ofAll("--json")).stdout;
      expect(JSON.parse(json)).toEqual([
        {
          subject: expect.stringMatching(/^user:/),
          user: "reader",
          appName: "office",
          confirmed: true,
          recoveryCodesLeft: 10,
        },
      ]);
      for (const hidden of [secret, ...recoveryCodes]) expect(json + listed.stdout).not.toContain(hidden);

      expect(await run("second-factor", "remove", "nobody")).toMatchObject(refused('There is no user "nobody".'));
      expect(await run("second-factor", "remove", "demo")).toMatchObject(refused('"demo" has no second factor.'));
      expect(await run("second-factor", "remove", "reader", "--app-name", "demo-app")).toMatchObject(
        refused('"reader" has no second factor for "demo-app".'),
      );
      expect(await run("second-factor", "remove", "partner", "--custom-user")).toMatchObject(
        refused('"partner" has no second factor.'),
      );
      expect(await run("second-factor", "remove", "reader")).toMatchObject(
        done('Removed the second factor of "reader".'),
      );
      expect([await logIn(), (await ofAll()).stdout]).toEqual(["0", ""]);
      const { rows } = await postgres.sql.query(
        "select type, actor_id is null and subject_id is not null as known from sallyport_demo.audit order by sequence desc limit 2",
      );
      expect(rows.map(({ type, known }) => [type, known])).toContainEqual(["secondFactor.removed", true]);

      expect(await run("app", "second-factor", "office", "forced")).toMatchObject(
        done('Set the second factor policy of "office" to forced.'),
      );
      expect([await logIn(), await logIn({ "2faToken": authenticator.token(1) })]).toEqual(["340", "340"]);
      expect(await run("app", "second-factor", "office", "off")).toMatchObject(
        done('Set the second factor policy of "office" to off.'),
      );
      expect(await logIn()).toBe("0");
    });

    test("refuse second factors without a master key", async () => {
      const file = join(folder, "plain.json");
      writeFileSync(
        file,
        JSON.stringify({ databases: [{ storage: { url: postgres.url, schema: "plain", migrateOnStart: true } }] }),
      );
      const plainly = (...args: string[]): Promise<Ended> => runOperator(["--config", file, ...args], {}, folder);
      expect(await runCommand(["migrate", "--config", file], {}, folder)).toMatchObject({ code: 0 });
      const words = refused("Second factors require a master key, and none is configured.");
      expect(await plainly("app", "create", "office", "--second-factor", "forced")).toMatchObject(words);
      expect(await plainly("app", "create", "office", "--second-factor", "off")).toMatchObject(
        done('Created app name "office".'),
      );
      expect(await plainly("app", "second-factor", "office", "optional")).toMatchObject(words);
    });

    test("a server without the original master key refuses users with a factor", async () => {
      const applications = new Applications(repositoriesOf(server).records);
      await applications.create({ name: "field", seats: null, secondFactor: "optional" });
      const factor = factorRequests(server, await logInWithFactor(server, "session", "demo", ["field"]), "field");
      const authenticator = await Authenticator.of(server, (await factor.enrol()).secret);
      expect((await factor.confirm(authenticator.token())).code).toBe("0");
      const other = await postgres.demo({ MASTER_KEY: Buffer.alloc(32, 8).toString("base64") });
      const body = { user: "demo", pass: "demo", appNames: ["field"], "2faToken": authenticator.token(1) };
      expect(await call(other, "/v1/login", { method: "POST", body })).toMatchObject({ status: 500, code: "705" });
      expect(await attempt(server, "session", body)).toBe("0");
    });
  });
});
