import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { call, checkSession, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { runCommand, runOperator } from "./run-command.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(240_000);

describe("commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-commands-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (args: string[], environment: Record<string, string> = {}, input?: string): Promise<Ended> =>
    runCommand(args, environment, folder, input);

  function configured(content: object): string {
    const file = join(folder, `${Math.random()}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  }

  describe("check-config", () => {
    test("prints the resulting configuration without secrets, and warnings separately", async () => {
      const file = configured({ databases: [{ storage: { url: "postgres://u:S3cret@h/d" } }, { alias: "later" }] });
      const { code, stdout, stderr } = await run(["check-config", "--config", file]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        databases: [{ storage: { url: "postgres://u:***@h/d" } }, { alias: "later" }],
      });
      const warnings = [
        /^warning: .*"later" has no storage/,
        /^warning: encryption\.masterKey: not set.*set MASTER_KEY/,
      ];
      expect(stderr.trimEnd().split("\n")).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
      expect(stdout).not.toContain("S3cret");
    });

    test("explains that a Postgres without a file and outside production is for the demo", async () => {
      const url = "postgres://u:S3cret@127.0.0.1:1/d";
      const demo = await run(["check-config"], { DATABASE_URL: url });
      expect(demo).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(
          /^note: NODE_ENV is not production.* used for the demo, in the schemas sallyport_demo and sallyport_demo_second/,
        ),
      });
      expect(JSON.parse(demo.stdout)).toMatchObject({
        databases: [{ storage: { schema: "sallyport_demo" } }, { alias: "second" }],
      });
      expect((await run(["migrate"], { DATABASE_URL: url })).stderr).toMatch(/^note: .* used for the demo/);
      expect((await run(["class", "list"], { DATABASE_URL: url })).stderr).toMatch(/^note: .* used for the demo/);
      const complete = { DATABASE_URL: url, NODE_ENV: "production", MASTER_KEY: randomBytes(32).toString("base64") };
      expect(await run(["check-config"], complete)).toMatchObject({ code: 0, stderr: "" });
      expect((await run(["check-config"])).stderr).toMatch(/^note: No configuration was found\. This is the demo/);
    });

    (process.platform === "win32" ? test.skip : test)(
      "warns of a file with a secret that others can read",
      async () => {
        const key = join(folder, "master-key");
        writeFileSync(key, randomBytes(32).toString("base64"), { mode: 0o600 });
        const settings = { DATABASE_URL: "postgres://u@h/d", NODE_ENV: "production", MASTER_KEY_FILE: key };
        expect(await run(["check-config"], settings)).toMatchObject({ code: 0, stderr: "" });
        chmodSync(key, 0o644);
        const { code, stderr } = await run(["check-config"], settings);
        expect([code, stderr]).toEqual([
          0,
          expect.stringMatching(/^warning: Other users .* \(mode 0644\)\. Run: chmod 600 .*\n$/),
        ]);
      },
    );

    test("lists every error, without secrets, and exits with 1", async () => {
      const file = configured({ server: { prot: 1 }, databases: [{ alias: "v1", storage: { url: "S3cret" } }] });
      const { code, stdout, stderr } = await run(["check-config", "--config", file], { PORT: "x" });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      for (const path of ["server.port (PORT)", "server.prot", "databases[0].alias", "databases[0].storage.url"]) {
        expect(stderr).toContain(`  - ${path}: `);
      }
      expect(stderr).not.toContain("S3cret");
      expect(stderr).not.toContain("    at ");
    });

    test.each([
      ["an unencoded password", "postgres://u:S3cr?tPart@db.example/d", /Percent-encode/],
      ["an unencoded password of MariaDB", "mariadb://u:S3cr/tPart@db.example/d", /Percent-encode/],
      ["an unknown parameter", "postgres://u:S3cr@db.example/d?tPart=1", /has an unknown parameter, number 1/],
      ["a missing authority", "postgres://u:S3cr@h/d?sslrootcert=/none.pem", /the file \/none\.pem as sslrootcert/],
      ["verify-ca without an authority", "postgres://u:S3cr@h/d?sslmode=verify-ca", /in sslrootcert/],
    ])("finds %s in an address, and so does the start", async (_name, url, message) => {
      const variables = { DATABASE_URL: url, NODE_ENV: "production" };
      const checked = await run(["check-config"], variables);
      expect(checked).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
      expect(checked.stderr).toMatch(/databaseUrl \(DATABASE_URL\): /);
      expect(checked.stderr).not.toMatch(/S3cr|tPart|db\.example/);
      expect(await run(["serve"], variables)).toMatchObject({ code: 1, stderr: checked.stderr });
      const inFile = await run(["check-config", "--config", configured({ databases: [{ storage: { url } }] })]);
      expect(inFile).toMatchObject({ code: 1, stderr: expect.stringMatching(/databases\[0\]\.storage\.url: /) });
      const replicas = { ...variables, DATABASE_URL: "postgres://h/d", DATABASE_READ_URLS: url };
      const replica = await run(["check-config"], replicas);
      expect(replica).toMatchObject({ code: 1, stderr: expect.stringMatching(/databaseReadUrls/) });
      expect(replica.stderr).not.toMatch(/S3cr|tPart/);
    });

    test("warns of encryption without a check of the server", async () => {
      const variables = { DATABASE_URL: "postgres://u@db.example/d?sslmode=require", NODE_ENV: "production" };
      const { code, stderr } = await run(["check-config"], variables);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^warning: databases: .*sslmode=require.*sslrootcert/m);
    });

    test("prints no credentials of other addresses", async () => {
      const statistics = { url: "https://hooks.example/S3cret", secret: "x".repeat(20) };
      const file = configured({ databases: [{ alias: "a" }], licences: { statistics } });
      const { code, stdout } = await run(["check-config", "--config", file]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ licences: { statistics: { url: "https://hooks.example/***" } } });
      for (const url of ["https://:S3cret@hooks.example", "https://u:S3cret@hooks.example"]) {
        const settings = { licences: { statistics: { ...statistics, url } }, files: { s3: { endpoint: url } } };
        const refused = await run([
          "check-config",
          "--config",
          configured({ databases: [{ alias: "a" }], ...settings }),
        ]);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(/licences\.statistics\.url: must be/);
        expect(refused.stderr).toMatch(/files\.s3\.endpoint: must be/);
        expect(refused.stderr).not.toContain("S3cret");
      }
    });

    test("reads certificate and keys, like the server", async () => {
      const file = configured({});
      const tls = await run(["check-config"], { TLS_CERTIFICATE_FILE: file, TLS_KEY_FILE: file });
      expect(tls).toMatchObject({
        code: 1,
        stdout: "",
        stderr: `error: The certificate ${file} cannot be used with the key ${file} (no start line).\n`,
      });
      const key = await run(["check-config"], { RSA_KEY_FILE: file, MASTER_KEY: randomBytes(32).toString("base64") });
      expect(key).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^error: The key in .*\.json cannot be used\. /),
      });
    });

    test("finds the file in the working directory, or by SALLYPORT_CONFIG", async () => {
      const file = join(folder, "sallyport.config.json");
      writeFileSync(file, JSON.stringify({ applicationName: "found-here", databases: [{ alias: "a" }] }));
      expect(JSON.parse((await run(["check-config"])).stdout)).toMatchObject({ applicationName: "found-here" });
      rmSync(file);
      const other = configured({ applicationName: "found-there", databases: [{ alias: "a" }] });
      expect(JSON.parse((await run(["check-config"], { SALLYPORT_CONFIG: other })).stdout)).toMatchObject({
        applicationName: "found-there",
      });
    });
  });

  test.each([
    [["frobnicate"], 'Unknown command "frobnicate". See "--help".'],
    [["migrat"], 'Unknown command "migrat". Did you mean "migrate"?'],
    [["app-key", "imprt"], 'Unknown command "app-key imprt". Did you mean "app-key import"?'],
    [["macro", "frobnicate"], 'Unknown command "macro frobnicate". See "macro --help".'],
  ])("refuses %j with a suggestion", async (args, words) => {
    expect(await run(args)).toEqual({ code: 1, stdout: "", stderr: `error: ${words}\n` });
  });

  test.each([
    ["user create ann --administrator", "sallyport --local user create ann --administrator"],
    ["custom-user list --alias archive --json", "sallyport --local --alias archive custom-user list --json"],
    ["user --help", "sallyport --local user --help"],
    ["maintenance on --all --config=a.json", "sallyport --local --all --config=a.json maintenance on"],
    ["limits set sessions.limit=5", "sallyport --local limits set sessions.limit=5"],
    ["app forbid it's -c a", "sallyport --local -c a app forbid 'it'\\''s'"],
    ["app-key create a --alias b", "sallyport --local --alias b app-key create a"],
    ["app-key create a --key-file f --alias b", "sallyport-server app-key import a --key-file f --alias b"],
    ["second-factor remove bob", "sallyport --local second-factor remove bob"],
    ["second-factor remove id --link", "sallyport-server second-factor remove-link id"],
    ["key list", "sallyport --local key list"],
    ["key rotate jwt", "sallyport --local --all key rotate jwt"],
    ["key rotate rsa --alias b", "sallyport --local --alias b key rotate rsa"],
    ["mail queue", "sallyport --local mail queue"],
    ["macro history Report", "sallyport --local macro history Report"],
    ["provider add google --data-file f", "sallyport --local provider add google --data-file f"],
  ])("answers the former %s with its successor", async (line, successor) => {
    const stderr = `error: This command has moved. Run: ${successor}\n`;
    expect(await run(line.split(" "))).toEqual({ code: 1, stdout: "", stderr });
  });

  test.each([
    [
      "seed in production",
      ["seed"],
      { NODE_ENV: "production", DATABASE_URL: "postgres://h/d" },
      /cannot be used with NODE_ENV=production/,
    ],
    [
      "seed beyond loopback",
      ["seed"],
      { HOST: "0.0.0.0", DATABASE_URL: "postgres://h/d" },
      /cannot be used while the server listens on 0\.0\.0\.0/,
    ],
    [
      "an unreachable database",
      ["migrate"],
      { DATABASE_URL: "postgres://u:S3cret@127.0.0.1:1/d" },
      /No Postgres server responds at 127\.0\.0\.1:1 \(ECONNREFUSED\)/,
    ],
    [
      "a missing embedded database",
      ["class", "list"],
      { DATA_DIR: "nowhere" },
      /There is no database in .*nowhere\. Run "sallyport-server migrate" first\./,
    ],
    [
      "an alias that is not configured",
      ["class", "list", "--alias", "x"],
      { DATABASE_URL: "postgres://h/d" },
      /no database "x".*"second"/,
    ],
    [
      "an invalid return address",
      ["app-key", "import", "a", "--key-file", "f", "--return-to", "https://a.example/*"],
      {},
      /is not a redirect URL.*no \*/,
    ],
    [
      "a return address with a script",
      ["app-key", "import", "a", "--key-file", "f", "--return-to", "javascript:alert(1)"],
      {},
      /is not a redirect URL/,
    ],
    [
      "an invalid origin",
      ["app-key", "import", "a", "--key-file", "f", "--origin", "a.example/x"],
      {},
      /is not an origin/,
    ],
  ])("refuses %s in plain words", async (_title, args, environment, expected) => {
    const { code, stderr } = await run(args, environment);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: /m);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/S3cret|^ +at /m);
  });
});

describe("users", () => {
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
    runOperator(["user", ...args], { DATABASE_URL: postgres.url }, folder);
  const printed = (words: string) => ({ code: 0, stdout: `${words}\n` });
  const refused = (words: string) => ({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^(note: .*\n)?error: [^]*${words}`)),
  });
  const listed = async (name: string) =>
    JSON.parse((await run("list", "--json")).stdout).find((user: { name: string }) => user.name === name);

  test("a disabled user has no log-in and no session until enabled", async () => {
    const { sessionId } = (await tryLogIn(server, "reader")).body.data;
    const custom = () =>
      call(server, "/v1/auth/df", { method: "POST", body: { user: "partner", pass: "partner", appNames: "demo-app" } });
    const { body } = await custom();
    expect([await checkSession(server, sessionId), await checkSession(server, body.data.sessionId)]).toEqual([
      "0",
      "0",
    ]);

    expect(await run("disable", "reader")).toMatchObject(printed('Disabled user "reader". Their sessions have ended.'));
    expect([await checkSession(server, sessionId), await checkSession(server, body.data.sessionId)]).toEqual([
      "201",
      "201",
    ]);
    const refusals = [await tryLogIn(server, "reader"), await custom()];
    expect(refusals.map(({ code }) => code)).toEqual(["302", "302"]);
    expect((await listed("reader")).enabled).toBe(false);

    expect(await run("enable", "reader")).toMatchObject(printed('Enabled user "reader".'));
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

  test("addresses are set and removed, and are not an attribute of the user", async () => {
    expect(await run("set-email", "reader", "reader@example.com")).toMatchObject(
      printed('Set the e-mail address of "reader".'),
    );
    const { email, userId } = await listed("reader");
    expect(email).toBe("reader@example.com");
    const { sessionId } = (await tryLogIn(server, "admin")).body.data;
    const { code, body } = await call(server, `/v1/object/${userId}`, { sessionId });
    expect([code, body.data.Name]).toEqual(["0", "reader"]);
    expect(JSON.stringify(body)).not.toContain("reader@example.com");
    expect(await run("set-email", "reader", "--none")).toMatchObject(printed('Set the e-mail address of "reader".'));
    expect((await listed("reader")).email).toBeNull();
  });

  test("refuses a new user whose name looks like that of a user without an account", async () => {
    const { sessionId } = (await tryLogIn(server, "admin")).body.data;
    expect((await call(server, "/v1/object/User", { method: "POST", sessionId, body: { Name: "Quentin" } })).code).toBe(
      "0",
    );
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, "correct horse battery staple 1");
    const create = (name: string) => run("create", name, "--password-file", passwordFile);
    expect(await create("QUENTIN")).toMatchObject(refused(".*too similar to one in use"));
    // A server of an earlier version reserves nothing; the next migration does.
    await postgres.sql.query("delete from sallyport_demo.records where kind = 'userName'");
    expect((await runCommand(["migrate"], { DATABASE_URL: postgres.url }, folder)).code).toBe(0);
    expect(await create("QUENTIN")).toMatchObject(refused(".*too similar to one in use"));
    expect((await create("Rupert")).code).toBe(0);
  });

  test("migrate, recover and the server report a database without settings, instead of trying for ever", async () => {
    const commandOn = (...args: string[]) => runCommand(args, { DATABASE_URL: postgres.url }, folder);
    await postgres.sql.query("create table kept as table sallyport_demo.settings; delete from sallyport_demo.settings");
    const missing = /The row of the table settings is missing: a restore was interrupted\. Restore the backup again/;
    for (const args of [["migrate"], ["recover", "--force"], ["recover", "--nothing-lost"]])
      expect(await commandOn(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(missing) });
    expect(await tryLogIn(server, "admin")).toMatchObject({ status: 500, code: "705" });
    await postgres.sql.query("insert into sallyport_demo.settings select * from kept; drop table kept");
    expect((await tryLogIn(server, "admin")).code).toBe("0");
    expect((await commandOn("migrate")).code).toBe(0);
  });

  test("refuses invalid arguments", async () => {
    expect(await run("disable", "nobody")).toMatchObject(refused('There is no user "nobody"'));
    expect(await run("enable", "READER")).toMatchObject(refused('There is no user "READER"'));
    expect(await run("set-email", "reader", "no address")).toMatchObject(refused("is not an e-mail address"));
    for (const args of [["reader"], ["reader", "a@example.com", "--none"]])
      expect(await run("set-email", ...args)).toMatchObject({ ...refused("Pass an address or --none"), code: 2 });
  });
});
