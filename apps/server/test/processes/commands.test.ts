import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { RunningServer } from "../../src/index.ts";
import { call, checkSession, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { appKey } from "../subject.ts";
import { runCommand } from "./run-command.ts";
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
      expect((await run(["app", "create", "a"], { DATABASE_URL: url })).stderr).toMatch(/^note: .* used for the demo/);
      const complete = { DATABASE_URL: url, NODE_ENV: "production", MASTER_KEY: randomBytes(32).toString("base64") };
      expect(await run(["check-config"], complete)).toMatchObject({ code: 0, stderr: "" });
      expect((await run(["check-config"])).stderr).toMatch(/^note: No configuration was found\. This is the demo/);
    });

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
    [["app-key", "crate"], 'Unknown command "app-key crate". Did you mean "app-key create"?'],
    [["user", "frobnicate"], 'Unknown command "user frobnicate". See "user --help".'],
    [["maintenance", "of"], 'The state must be on or off, not "of".'],
    [["maintenance"], "missing required argument 'on|off'\n(see --help)"],
    [["maintenance", "off", "--message", "a"], "--message and --for belong to maintenance on."],
    [["maintenance", "on", "--all", "--alias", "a"], "Use either --all or --alias."],
    [["maintenance", "on", "--for", "5"], '--for must be a duration from "1m" to "30d", such as "15s" or "30m".'],
  ])("refuses %j with a suggestion", async (args, words) => {
    expect(await run(args)).toEqual({ code: 1, stdout: "", stderr: `error: ${words}\n` });
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
      ["user", "list"],
      { DATA_DIR: "nowhere" },
      /There is no database in .*nowhere\. Run "sallyport-server migrate" first\./,
    ],
    [
      "an alias that is not configured",
      ["maintenance", "on", "--alias", "x"],
      { DATABASE_URL: "postgres://h/d" },
      /no database "x".*"second"/,
    ],
    [
      "an invalid return address",
      ["app-key", "create", "a", "--return-to", "https://a.example/*"],
      {},
      /is not a redirect URL.*no \*/,
    ],
    [
      "a return address with a script",
      ["app-key", "create", "a", "--return-to", "javascript:alert(1)"],
      {},
      /is not a redirect URL/,
    ],
    ["an invalid origin", ["app-key", "create", "a", "--origin", "a.example/x"], {}, /is not an origin/],
    ["seats that are not a number", ["app", "create", "a", "--seats", "many"], {}, /number of seats must be/],
    ["seats of an unknown kind", ["app", "seats", "a", "1", "--seat-kind", "chair"], {}, /kind of seats must be/],
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
    runCommand(["user", ...args], { DATABASE_URL: postgres.url }, folder);
  const printed = (words: string) => ({ code: 0, stdout: `${words}\n` });
  const refused = (words: string) => ({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^(note: .*\n)?error: ${words}`)),
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

    expect(await run("disable", "reader")).toMatchObject(printed('Disabled user "reader". 2 sessions have ended.'));
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

  test("addresses are set and removed, and are no attribute of the user", async () => {
    expect(await run("set-email", "reader", "reader@example.com")).toMatchObject(
      printed('Set the e-mail address of "reader".'),
    );
    const { email, objectId } = await listed("reader");
    expect(email).toBe("reader@example.com");
    const { sessionId } = (await tryLogIn(server, "admin")).body.data;
    const { code, body } = await call(server, `/v1/object/${objectId}`, { sessionId });
    expect([code, body.data.Name]).toEqual(["0", "reader"]);
    expect(JSON.stringify(body)).not.toContain("reader@example.com");
    expect(await run("set-email", "reader", "--none")).toMatchObject(
      printed('Removed the e-mail address of "reader".'),
    );
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

  test("refuses invalid arguments", async () => {
    expect(await run("disable", "nobody")).toMatchObject(refused('There is no user "nobody"'));
    expect(await run("enable", "READER")).toMatchObject(refused('There is no user "READER"'));
    expect(await run("set-email", "reader", "no address")).toMatchObject(
      refused('"no address" is not an e-mail address'),
    );
    for (const args of [["reader"], ["reader", "a@example.com", "--none"]])
      expect(await run("set-email", ...args)).toMatchObject(refused("Pass an address or --none"));
  });
});

describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-file-commands-"));
  const directory = join(folder, "files");
  const archive = join(folder, "demo.ndjson");
  let postgres: PostgresFixture;
  let server: RunningServer;
  let sessionId: string;
  /** The object of a large file. */
  let large: { readonly "~ObjectID": string; readonly Sha256: string };

  beforeAll(async () => {
    postgres = await openPostgresFixture({ empty: true });
    server = await postgres.demo({ FILES_DIRECTORY: directory });
    const { url } = postgres;
    const databases = [
      { alias: "", storage: { url, schema: "sallyport_demo" } },
      ...["copy", "other", "retried"].map((alias) => ({
        alias,
        storage: { url, schema: alias, migrateOnStart: true },
      })),
      { alias: "embedded", storage: { engine: "embedded", dataDir: join(folder, "embedded") } },
    ];
    writeFileSync(join(folder, "sallyport.config.json"), JSON.stringify({ databases, files: { directory } }));
    ({ sessionId } = (await tryLogIn(server, "admin")).body.data);
    large = await upload(randomBytes(2_500_000), "large.bin");
    await upload(Buffer.from("hello"), "Hello.txt");
    const begun = await call(server, "/v1/uploadFile", { sessionId });
    const headers = { ...head(), "content-type": "application/octet-stream", "content-range": "bytes 2-4/9" };
    await fetch(`${server.url}/v1/uploadFile/${begun.body.data.uploadId}`, { method: "PATCH", headers, body: "abc" });
    expect(await run("", "dump", "--files", "-o", archive)).toMatchObject({
      code: 0,
      stdout: `Dumped 1,223 objects and 5 files into ${archive}.\n`,
    });
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  const head = () => ({ appkey: appKey, sessionid: sessionId });
  async function upload(bytes: Buffer, name: string) {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(bytes)], { type: "text/plain" }), name);
    const answer = await fetch(`${server.url}/v1/uploadFile`, { method: "POST", headers: head(), body });
    return ((await answer.json()) as { data: typeof large }).data;
  }
  const run = (alias: string, ...args: string[]): Promise<Ended> =>
    runCommand([...args, ...(alias === "" ? [] : ["--alias", alias])], {}, folder);
  const listed = async (alias: string): Promise<{ file: string; name: string; state: string }[]> =>
    JSON.parse((await run(alias, "file", "list", "--json")).stdout);
  const storeOf = (alias: string) => join(directory, alias === "" ? "_default" : alias);
  const storedIn = (alias: string) =>
    existsSync(storeOf(alias))
      ? readdirSync(storeOf(alias)).flatMap((each) => readdirSync(join(storeOf(alias), each)))
      : [];
  const complete = (found: { state: string }[]) => found.filter(({ state }) => state === "complete");
  const all = { code: 0, stdout: "Checked 5 files of 2.4 MiB. All are complete.\n" };

  test("list files with their state", async () => {
    const { stdout } = await run("", "file", "list");
    const [heading, ...lines] = stdout.trimEnd().split("\n");
    expect(heading).toMatch(/^OBJECT ID +NAME +SIZE +MEDIA TYPE +STATE +SINCE$/);
    const shown = [
      /^\w+ +large\.bin +2\.4 MiB +text\/plain +complete +20\S+Z$/,
      /^\w+ +Hello\.txt +5 bytes +text\/plain +complete +20\S+Z$/,
      /^none +none +3 bytes +none +uploading +20\S+Z$/,
    ];
    for (const line of shown) expect(lines).toContainEqual(expect.stringMatching(line));
    expect(lines).toHaveLength(6);
    const named = await run("", "file", "list", "--name", "hello", "--state", "complete", "--json");
    expect(JSON.parse(named.stdout)).toMatchObject([{ name: "Hello.txt", size: 5, state: "complete", uploader: null }]);
    expect(await run("", "file", "list", "--state", "unused")).toMatchObject({
      stdout: "",
      stderr: "There are no files.\n",
    });
  });

  test("are restored into other databases, and dumped again", async () => {
    expect(await run("copy", "restore", "--files", "-i", archive)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 1,223 objects and 5 files of the database/),
      stderr: "",
    });
    expect(await run("copy", "file", "check")).toEqual({ ...all, stderr: "" });
    expect(await listed("copy")).toEqual(complete(await listed("")));

    const again = join(folder, "again.ndjson.gz");
    await run("copy", "dump", "--files", "-o", again);
    expect(await run("embedded", "restore", "--files", "-i", again)).toMatchObject({ code: 0 });
    expect(await run("embedded", "file", "check", "--fast")).toMatchObject(all);
    expect(await listed("embedded")).toEqual(complete(await listed("")));
    expect(await run("copy", "restore", "--files", "-i", archive)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The database "copy" is not empty\./m),
    });
    expect(storedIn("copy")).toHaveLength(5);
  });

  test("are left out of a restore without --files, and can be copied", async () => {
    expect(await run("other", "restore", "-i", archive)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 1,223 objects of the database/),
      stderr: "note: The bytes of the files were not restored. Copy the file store, or use --files.\n",
    });
    expect(complete(await listed("other"))).toEqual(complete(await listed("")));
    expect((await run("other", "file", "check")).code).toBe(1);
    cpSync(storeOf(""), storeOf("other"), { recursive: true });
    expect(await run("other", "file", "check")).toMatchObject(all);
    const plain = join(folder, "plain.ndjson");
    await run("", "dump", "-o", plain);
    expect(await run("retried", "restore", "--files", "-i", plain)).toMatchObject({
      code: 1,
      stderr: "error: The archive contains no files. Restore it without --files.\n",
    });
  });

  test("are removed again if the archive is damaged, and can be restored afterwards", async () => {
    const text = readFileSync(archive, "latin1");
    const broken = join(folder, "broken.ndjson");
    for (const [damaged, message] of [
      [text.slice(0, -200), /the archive is truncated/],
      [
        text.replace(/"[A-Za-z0-9+/]{100}/, (found) => `"AAAA${found.slice(5)}`),
        /the checksum does not match|The bytes differ from the SHA-256/,
      ],
    ] as const) {
      writeFileSync(broken, damaged, "latin1");
      expect(await run("retried", "restore", "--files", "-i", broken)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(message),
      });
      expect(storedIn("retried")).toEqual([]);
    }
    expect(await run("retried", "restore", "--files", "-i", archive)).toMatchObject({ code: 0 });
    expect(await run("retried", "file", "check")).toMatchObject(all);
  });

  test("are reported if bytes are missing or damaged, and not dumped", async () => {
    const { file = "" } = (await listed("")).find(({ name }) => name === "large.bin") ?? {};
    const stored = join(storeOf(""), file.slice(0, 2), file);
    const [segment = ""] = readdirSync(stored);
    const bytes = readFileSync(join(stored, segment));
    const problem = (word: string) => ({
      code: 1,
      stdout: expect.stringMatching(
        new RegExp(`large\\.bin +2\\.4 MiB +${file} +${word}\nChecked 5 files of 2\\.4 MiB\\.\n$`),
      ),
      stderr: expect.stringMatching(/^error: 1 file is missing or damaged\.$/m),
    });
    writeFileSync(join(stored, segment), Buffer.concat([bytes.subarray(1), Buffer.of(0)]));
    expect(await run("", "file", "check")).toMatchObject(problem("damaged"));
    expect(await run("", "file", "check", "--fast")).toMatchObject(all);
    renameSync(join(stored, segment), join(folder, segment));
    expect(await run("", "file", "check", "--fast")).toMatchObject(problem("missing"));
    const output = join(folder, "none.ndjson");
    expect(await run("", "dump", "--files", "-o", output)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `error: The bytes of the file "large.bin" (object ${large["~ObjectID"]}) are missing or damaged. Nothing was written. Run "sallyport-server file check".`,
      ),
    });
    expect([existsSync(output), existsSync(`${output}.partial`)]).toEqual([false, false]);
    expect(JSON.parse((await run("", "file", "check", "--json")).stdout)).toMatchObject({
      files: 5,
      problems: [{ objectId: large["~ObjectID"], name: "large.bin", problem: "missing" }],
      unknown: [],
    });
    writeFileSync(join(stored, segment), bytes);
    expect(await run("", "file", "check")).toMatchObject(all);
  });

  test("without an object are collected, and unknown ones stay", async () => {
    const { "~ObjectID": id } = await upload(Buffer.from("short"), "short.txt");
    await call(server, `/v1/object/${id}?recycled=false`, { method: "DELETE", sessionId });
    const unknown = "f".repeat(32);
    mkdirSync(join(storeOf(""), "ff", unknown), { recursive: true });
    const note = expect.stringMatching(/^note: The store has 1 file that the database does not know/m);
    expect(await run("", "file", "check")).toMatchObject({ code: 0, stderr: note });
    expect(await run("", "file", "collect")).toMatchObject({
      code: 0,
      stdout: "Removed 0 unused files.\nKept 1 unused file younger than 1d.\n",
      stderr: note,
    });
    const now = ["file", "collect", "--older-than", "0s"];
    expect(await run("", ...now, "--dry-run")).toMatchObject({ stdout: "Would remove 1 unused file.\n" });
    expect(storedIn("")).toHaveLength(8);
    expect(JSON.parse((await run("", ...now, "--json")).stdout)).toEqual({ removed: 1, waiting: 0, unknown: 1 });
    expect(storedIn("")).toHaveLength(7);
    expect(storedIn("")).toContain(unknown);
  });

  test.each([
    [["list", "--state", "done"], 'The state must be complete, uploading or unused, not "done".'],
    [["collect", "--older-than", "soon"], '--older-than must be a duration such as 12h or 7d, not "soon".'],
  ])("refuse %j", async (args, words) => {
    expect(await run("", "file", ...args)).toEqual({ code: 1, stdout: "", stderr: `error: ${words}\n` });
  });
});
