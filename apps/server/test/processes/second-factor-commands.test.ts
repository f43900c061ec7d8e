import { Applications } from "@sallyport/core";
import { repositoriesOf } from "../password-suite.ts";
import { jest } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import type { RunningServer } from "../../src/index.ts";
import { attempt, Authenticator, enter, factorRequests } from "../second-factor-client.ts";
import { secondFactorEnvironment } from "../second-factor-suite.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(240_000);

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

const run = (...args: string[]): Promise<Ended> =>
  new ServerProcess(args, { DATABASE_URL: postgres.url, MASTER_KEY: secondFactorEnvironment.MASTER_KEY }, folder).ended;
const done = (words: string) => ({ code: 0, stdout: `${words}\n` });
const refused = (words: string) => ({ code: 1, stdout: "", stderr: expect.stringContaining(`error: ${words}`) });

test("commands set the rule of an app name, list who has a factor and take it away, which running servers heed at once", async () => {
  expect(await run("app", "create", "office", "--second-factor", "maybe")).toMatchObject(
    refused('Second factors are off, optional or forced; "maybe" is none of these.'),
  );
  expect(await run("app", "create", "office", "--second-factor", "optional")).toMatchObject(
    done('The app "office" exists now.'),
  );
  expect(await run("app", "second-factor", "nowhere", "forced")).toMatchObject(
    refused('There is no app with the name "nowhere".'),
  );
  expect((await run("app", "list")).stdout).toContain("office      any number  optional\n");
  expect(JSON.parse((await run("app", "list", "--json")).stdout)).toContainEqual({
    name: "office",
    seats: null,
    secondFactor: "optional",
  });

  const factor = factorRequests(server, await enter(server, "session", "reader", ["office"]), "office");
  const { secret, recoveryCodes } = await factor.enrol();
  const authenticator = await Authenticator.of(server, secret);
  expect((await factor.confirm(authenticator.token())).code).toBe("0");
  const logIn = (more = {}) => attempt(server, "session", { user: "reader", appNames: ["office"], ...more });
  expect(await logIn()).toBe("341");

  const listed = await run("second-factor", "list");
  expect(listed.stdout).toBe("WHOSE   APP NAME  STATE      RECOVERY CODES\nreader  office    confirmed  10\n");
  const json = (await run("second-factor", "list", "--json")).stdout;
  expect(JSON.parse(json)).toEqual([
    {
      subject: expect.stringMatching(/^user:/),
      whose: "reader",
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
  expect(await run("second-factor", "remove", "reader", "--custom-user", "--link")).toMatchObject(
    refused("Say --custom-user or --link, not both."),
  );
  expect(await run("second-factor", "remove", "reader")).toMatchObject(done('"reader" has no second factor any more.'));
  expect([await logIn(), (await run("second-factor", "list")).stdout]).toEqual(["0", ""]);
  const { rows } = await postgres.sql.query(
    "select type, actor_id is null and subject_id is not null as known from sallyport_demo.audit order by sequence desc limit 2",
  );
  expect(rows.map(({ type, known }) => [type, known])).toContainEqual(["secondFactor.removed", true]);

  expect(await run("app", "second-factor", "office", "forced")).toMatchObject(
    done('Second factors of the app "office" are forced.'),
  );
  expect([await logIn(), await logIn({ "2faToken": authenticator.token(1) })]).toEqual(["340", "340"]);
  expect(await run("app", "second-factor", "office", "off")).toMatchObject(
    done('Second factors of the app "office" are switched off.'),
  );
  expect(await logIn()).toBe("0");
});

test("without a master key there are no second factors", async () => {
  const file = join(folder, "plain.json");
  writeFileSync(
    file,
    JSON.stringify({ databases: [{ storage: { url: postgres.url, schema: "plain", migrateOnStart: true } }] }),
  );
  const plainly = (...args: string[]): Promise<Ended> =>
    new ServerProcess([...args, "--config", file], {}, folder).ended;
  expect(await plainly("migrate")).toMatchObject({ code: 0 });
  const words = refused("Second factors need a master key, and there is none. Set encryption.masterKey (MASTER_KEY)");
  expect(await plainly("app", "create", "office", "--second-factor", "forced")).toMatchObject(words);
  expect(await plainly("app", "create", "office", "--second-factor", "off")).toMatchObject(
    done('The app "office" exists now.'),
  );
  expect(await plainly("app", "second-factor", "office", "optional")).toMatchObject(words);
});

test("a server that has lost its master key lets nobody in who has a factor", async () => {
  const applications = new Applications(repositoriesOf(server).records);
  await applications.create({ name: "field", seats: null, secondFactor: "optional" });
  const factor = factorRequests(server, await enter(server, "session", "demo", ["field"]), "field");
  const authenticator = await Authenticator.of(server, (await factor.enrol()).secret);
  expect((await factor.confirm(authenticator.token())).code).toBe("0");
  const other = await postgres.demo({ MASTER_KEY: Buffer.alloc(32, 8).toString("base64") });
  const body = { user: "demo", pass: "demo", appNames: ["field"], "2faToken": authenticator.token(1) };
  expect(await call(other, "/v1/login", { method: "POST", body })).toMatchObject({ status: 500, code: "705" });
  expect(await attempt(server, "session", body)).toBe("0");
});
