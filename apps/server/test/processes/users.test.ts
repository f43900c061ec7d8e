import { jest } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, checkSession, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(240_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-users-"));
let postgres: PostgresFixture;
let process: ServerProcess;
let server: { url: string };

beforeAll(async () => {
  postgres = await openPostgresFixture();
  process = new ServerProcess(["serve"], { DATABASE_URL: postgres.url, PORT: "0" }, folder);
  server = { url: await process.url() };
});
afterAll(async () => {
  await process.kill();
  await postgres.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<Ended> =>
  new ServerProcess(["user", ...args], { DATABASE_URL: postgres.url }, folder).ended;
const told = (words: string) => ({ code: 0, stdout: `${words}\n` });
const refused = (words: string) => ({
  code: 1,
  stdout: "",
  stderr: expect.stringMatching(new RegExp(`^(note: .*\n)?error: ${words}`)),
});
const listed = async (name: string) =>
  JSON.parse((await run("list", "--json")).stdout).find((user: { name: string }) => user.name === name);

test("a disabled user enters by no door and is logged out, until he is enabled", async () => {
  const { sessionId } = (await tryLogIn(server, "reader")).body.data;
  const custom = () =>
    call(server, "/v1/auth/df", { method: "POST", body: { user: "partner", pass: "partner", appNames: "demo-app" } });
  const { body } = await custom();
  expect([await checkSession(server, sessionId), await checkSession(server, body.data.sessionId)]).toEqual(["0", "0"]);

  expect(await run("disable", "reader")).toMatchObject(told('The user "reader" is disabled. 2 sessions have ended.'));
  expect([await checkSession(server, sessionId), await checkSession(server, body.data.sessionId)]).toEqual([
    "201",
    "201",
  ]);
  const refusals = [await tryLogIn(server, "reader"), await custom()];
  expect(refusals.map(({ code }) => code)).toEqual(["302", "302"]);
  expect((await listed("reader")).enabled).toBe(false);

  expect(await run("enable", "reader")).toMatchObject(told('The user "reader" is enabled.'));
  expect([(await custom()).code, await checkSession(server, sessionId)]).toEqual(["0", "201"]);
  expect((await listed("reader")).enabled).toBe(true);
  const { rows } = await postgres.sql.query(
    "select type, actor_id is null and subject_id is not null as known from sallyport_demo.audit where type like 'account%' order by sequence",
  );
  expect(rows).toEqual([
    { type: "account.disabled", known: true },
    { type: "account.enabled", known: true },
  ]);
});

test("addresses are set and taken away, and are no attribute of the user", async () => {
  expect(await run("set-email", "reader", "reader@example.com")).toMatchObject(
    told('The user "reader" gets mail at reader@example.com.'),
  );
  const { email, objectId } = await listed("reader");
  expect(email).toBe("reader@example.com");
  const { sessionId } = (await tryLogIn(server, "admin")).body.data;
  const { code, body } = await call(server, `/v1/object/${objectId}`, { sessionId });
  expect([code, body.data.Name]).toEqual(["0", "reader"]);
  expect(JSON.stringify(body)).not.toContain("reader@example.com");
  expect(await run("set-email", "reader", "--none")).toMatchObject(told('The user "reader" gets no mail.'));
  expect((await listed("reader")).email).toBeNull();
});

test("a user is not created with a name that looks like that of a user without an account", async () => {
  const { sessionId } = (await tryLogIn(server, "admin")).body.data;
  expect((await call(server, "/v1/object/User", { method: "POST", sessionId, body: { Name: "Quentin" } })).code).toBe(
    "0",
  );
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, "correct horse battery staple 1");
  const create = (name: string) => run("create", name, "--password-file", passwordFile);
  expect(await create("QUENTIN")).toMatchObject(refused(".*looks like the name of another user"));
  // A server of a former version reserves nothing; the next migration does.
  await postgres.sql.query("delete from sallyport_demo.records where kind = 'userName'");
  expect((await new ServerProcess(["migrate"], { DATABASE_URL: postgres.url }, folder).ended).code).toBe(0);
  expect(await create("QUENTIN")).toMatchObject(refused(".*looks like the name of another user"));
  expect((await create("Rupert")).code).toBe(0);
});

test("what cannot be meant is refused", async () => {
  expect(await run("disable", "nobody")).toMatchObject(refused('There is no user "nobody"'));
  expect(await run("enable", "READER")).toMatchObject(refused('There is no user "READER"'));
  expect(await run("set-email", "reader", "no address")).toMatchObject(refused('"no address" is no e-mail address'));
  for (const args of [["reader"], ["reader", "a@example.com", "--none"]])
    expect(await run("set-email", ...args)).toMatchObject(refused("Either an address is expected, or --none"));
});
