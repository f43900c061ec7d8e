import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { isFullRun } from "@sallyport/test-kit/scope";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { doctorSuite } from "../doctor-suite.ts";
import { runCommand } from "./run-command.ts";
import { ServerProcess, type Ended } from "./server-process.ts";

describe("doctor", () => {
  doctorSuite();
});

describe("set up", () => {
  jest.setTimeout(120_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-set-up-"));
  let postgres: RealPostgres;
  let scratch: ScratchDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    postgres = await startRealPostgres();
    scratch = await postgres.createDatabase();
    server = new ServerProcess(["serve"], { ...environment(), PORT: "0" }, folder);
  });
  afterAll(async () => {
    await server.kill();
    await scratch.drop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const environment = () => ({ NODE_ENV: "production", DATABASE_URL: scratch.url });

  /** The output of a command; after a failure, its exit code comes first. */
  async function command(line: string, input?: string): Promise<string> {
    const { code, stdout, stderr } = await runCommand(line.split(" "), environment(), folder, input);
    return code === 0 ? stdout.trim() : `${code} ${stderr.trim()}`;
  }

  async function serviceCode(url: string): Promise<string> {
    const { status } = (await (await fetch(`${url}/_CheckService`)).json()) as { status: { internalStatus: string } };
    return status.internalStatus;
  }

  const everything = "durable, several processes, parallel transactions, value indexes, unlimited indexes";

  test("commands set up an empty Postgres beside a running server, until a user can log in", async () => {
    const url = await server.url();
    expect(await server.logged("Database unavailable")).toMatchObject({
      level: "warn",
      code: 705,
      reason: expect.stringContaining("not migrated"),
    });
    expect(await serviceCode(url)).toBe("705");
    expect((await fetch(`${url}/readyz`)).status).toBe(503);

    expect(await command("app create shop")).toMatch(
      /^1 error: The database is not migrated\. Run "sallyport-server migrate"/,
    );
    expect(await command("migrate")).toMatch(/^database \(empty\): applied 0001/);
    expect(await command("migrate")).toBe(`database (empty): up to date
  ${everything}`);
    writeFileSync(
      join(folder, "model.json"),
      JSON.stringify({ classes: [{ name: "Employee", attributes: [{ name: "Name", type: "string" }] }] }),
    );
    expect(await command("migrate --model model.json")).toContain(
      "differs from the model file, which applies to new databases only: User, Employee",
    );
    expect(JSON.parse(await command("class list --json"))).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "Employee", builtIn: false })]),
    );
    expect(await serviceCode(url)).toBe("0");

    expect(await runCommand(["user", "list"], environment(), folder)).toEqual({
      code: 0,
      stdout: "",
      stderr: "There are no users.\n",
    });
    expect(await command("user list --json")).toBe("[]");
    expect(await command("app create shop --seats 3")).toBe('Created app name "shop".');
    expect(await command("app create shop")).toMatch(/^1 error: The app name "shop" already exists\./);
    expect(await command("app seats shop 2 --seat-kind user")).toBe('Set the seats of "shop" to 2.');
    expect(await command("app list")).toBe("NAME  SEATS  KIND  TAKEN  SECOND FACTOR\nshop  2      user  0      off");
    expect(await command("app seats shop 3 --seat-kind concurrent")).toBe('Set the seats of "shop" to 3.');
    expect(await command("app seats cellar unlimited")).toMatch(/^1 error: There is no app name "cellar"/);
    expect(await command("app-key create till --app-name shop cellar")).toMatch(
      /^1 error: There is no app name "cellar"/,
    );
    const appKey = await command("app-key create till --app-name shop");
    expect(appKey).toMatch(/^[\w-]{43}$/);
    expect(await command("user create boss --administrator --group Board", "pass word\n")).toMatch(
      /^1 error: There is no user group "Board"/,
    );
    expect(
      await command(
        "user create boss --administrator --email boss@example.com --group Board --create-groups",
        "pass word\n",
      ),
    ).toBe('Created user "boss".');
    expect(await command("user create BOSS", "pass word\n")).toMatch(/^1 error: The user name is in use/);
    expect(await command("user create other", "seven 7\n")).toBe("1 error: The password has fewer than 8 characters.");
    expect(await command("user create other", "Password123\n")).toBe(
      "1 error: The password is in a list of breached passwords.",
    );
    expect(await command("user create other", "\n")).toMatch(/^1 error: The password is empty/);

    expect(await command("app list")).toBe(
      "NAME  SEATS  KIND        TAKEN  SECOND FACTOR\nshop  3      concurrent  0      off",
    );
    expect(await command("app-key list")).toBe(
      "NAME  SCOPE  STATE    APP NAMES  ORIGINS  REDIRECT URLS\ntill  app    enabled  shop       none     none",
    );
    expect(await command("user list")).toBe(
      "NAME  STATE    ADMINISTRATOR  GROUPS\nboss  enabled  yes            Board",
    );
    const listed = await Promise.all(
      ["app", "app-key", "user"].map(async (what) => JSON.parse(await command(`${what} list --json`))),
    );
    expect(listed).toEqual([
      [{ name: "shop", seats: 3, seatKind: "concurrent", taken: 0, secondFactor: "off" }],
      [{ name: "till", scope: "app", enabled: true, appNames: ["shop"], origins: [], returnAddresses: [] }],
      [
        {
          name: "boss",
          objectId: expect.stringMatching(/^[0-9A-Z]+$/),
          enabled: true,
          administrator: true,
          email: "boss@example.com",
          groups: ["Board"],
        },
      ],
    ]);

    const [heading, ...classes] = (await command("class list")).split("\n");
    expect(heading).toMatch(/^NAME +BASE +ATTRIBUTES +INDEXES +OBJECTS$/);
    expect(classes).toHaveLength(7);
    expect(classes).toContainEqual(expect.stringMatching(/^UserGroup +none +Name Description +none +1$/));
    expect(JSON.parse(await command("class list --json"))).toContainEqual({
      name: "Image",
      base: null,
      builtIn: true,
      attributes: [],
      rights: [],
      objects: 0,
    });

    expect(await logIn(url, appKey)).toMatchObject({
      status: { internalStatus: "0" },
      data: { databaseName: "sallyport", user: { Name: "boss", Groups: { "~Elements": [{ Name: "Board" }] } } },
    });
    const {
      data: { sessionId },
    } = (await logIn(url, appKey)) as { data: { sessionId: string } };
    expect(await command("user set-password nobody", "pass phrase\n")).toBe('1 error: There is no user "nobody".');
    expect(await command("user set-password boss", "1 2 3 4\n")).toBe(
      "1 error: The password has fewer than 8 characters.",
    );
    expect(await check(url, appKey, sessionId)).toBe("0");
    expect(await command("user set-password boss", "pass phrase\n")).toBe(
      'Set the password of "boss" and ended all sessions.',
    );
    expect(await check(url, appKey, sessionId)).toBe("201");
    expect(await logIn(url, appKey)).toMatchObject({ status: { internalStatus: "302" } });
    expect(await command("user set-password boss", "pass word\n")).toMatch(/^Set the password of /);
    expect(await logIn(url, appKey)).toMatchObject({ status: { internalStatus: "0" } });

    expect(await command("maintenance on --all --for 10m --message Moving.")).toBe(
      "database (empty): Maintenance mode is on.",
    );
    const maintained = await fetch(`${url}/_CheckService`);
    expect(maintained.status).toBe(503);
    expect(Number(maintained.headers.get("retry-after"))).toBeGreaterThan(500);
    expect(await maintained.json()).toMatchObject({ status: { internalStatus: "706", notice: "Moving." } });
    expect(await command("maintenance off")).toBe("Maintenance mode is off.");
    expect(await command("app-key disable till")).toBe('Disabled app key "till".');
    expect(await logIn(url, appKey)).toMatchObject({ status: { internalStatus: "101" } });
    expect(await command("app-key enable till")).toBe('Enabled app key "till".');

    const socket = await halfSent(url, appKey);
    server.signal("SIGTERM");
    await server.logged("Shutting down");
    socket.write(body.slice(5));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"internalStatus":"0"/);
    await expect(server.ended).resolves.toMatchObject({ code: 0, stderr: "" });
  });

  const body = JSON.stringify({ user: "boss", pass: "pass word", appNames: ["shop"] });

  async function logIn(url: string, appKey: string): Promise<unknown> {
    const headers = { appkey: appKey, "content-type": "application/json" };
    return (await fetch(`${url}/v1/login`, { method: "POST", headers, body })).json();
  }

  async function check(url: string, appKey: string, sessionId: string): Promise<string> {
    const answer = await fetch(`${url}/_CheckSession`, { headers: { appkey: appKey, sessionid: sessionId } });
    return ((await answer.json()) as { status: { internalStatus: string } }).status.internalStatus;
  }

  /** Sends the first half of a log-in and waits until the server expects the rest. */
  async function halfSent(url: string, appKey: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const headers = [
      "Host: x",
      `appkey: ${appKey}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${["POST /v1/login HTTP/1.1", ...headers].join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
    for (;;) {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      if (metrics.includes("sallyport_incomplete_bodies 1")) return socket;
    }
  }

  test("app-key create accepts a key of 3 characters with a warning", async () => {
    writeFileSync(join(folder, "fixed.key"), "abc\n");
    writeFileSync(join(folder, "tiny.key"), "ab\n");
    const create = (file: string) =>
      runCommand(["app-key", "create", `by ${file}`, "--key-file", file], environment(), folder);
    expect(await create("fixed.key")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(
        /^Warning: the key has fewer than 16 characters and can be guessed\.[^]*Created app key "[^"]+"\.\n$/,
      ),
    });
    expect(await create("tiny.key")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("An app key must have 3 to 512 visible ASCII characters"),
    });
    const started = new ServerProcess(["serve"], { ...environment(), PORT: "0" }, folder);
    const answer = await fetch(`${await started.url()}/_CheckSession`, { headers: { appkey: "abc" } });
    expect(((await answer.json()) as { status: { internalStatus: string } }).status.internalStatus).toBe("200");
    await started.kill();
  });
});

describe("archive commands", () => {
  jest.setTimeout(300_000);

  let folder: string;
  let postgres: RealPostgres;
  let scratch: ScratchDatabase;
  /** An archive of the demo, made once. */
  let archive: string;

  const sealing = randomBytes(32).toString("base64");

  /** Runs a command on the database with this alias. */
  function run(
    alias: string,
    args: readonly string[],
    { masterKey, input }: { masterKey?: string; input?: string } = {},
  ): Promise<Ended> {
    const environment = {
      SALLYPORT_CONFIG: join(folder, "configuration.json"),
      ...(masterKey === undefined ? {} : { MASTER_KEY: masterKey }),
    };
    return runCommand([...args, "--alias", alias], environment, folder, input);
  }

  /** The part that must be equal: everything after the header. */
  const contents = (bytes: Buffer | string) =>
    createHash("sha256").update(bytes.toString().split("\n").slice(2).join("\n")).digest("hex");

  /** A configuration for a command, with databases by their aliases. */
  async function configure(name: string, storages: Readonly<Record<string, object>>): Promise<string> {
    const file = join(folder, name);
    const databases = Object.entries(storages).map(([alias, storage]) => ({
      alias,
      name: alias,
      storage: { migrateOnStart: true, ...storage },
    }));
    await writeFile(file, JSON.stringify({ databases }));
    return file;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-archives-"));
    postgres = await startRealPostgres();
    scratch = await postgres.createDatabase();
    const onPostgres = Object.fromEntries(
      ["demo", "copy", "bare", "other", "none", "target", "moved"].map((alias) => [alias, { url: scratch.url }]),
    );
    const [full, fresh] = ["full", "fresh"].map((name) => ({
      engine: "embedded",
      schema: "sallyport_demo",
      dataDir: join(folder, name),
    }));
    await configure("configuration.json", { ...onPostgres, full: full as object, fresh: fresh as object });
    archive = join(folder, "demo.ndjson");
    for (const args of [["seed"], ["key", "rotate", "jwt"], ["dump", "--output", archive]]) {
      const { code, stderr } = await run("demo", args, { masterKey: sealing });
      if (code !== 0) throw new Error(stderr);
    }
  });
  afterAll(async () => {
    await scratch.drop();
    await postgres.stop();
    await rm(folder, { recursive: true });
  });

  test("a dump is restored, and a new dump equals it", async () => {
    expect((await stat(archive)).mode & 0o777).toBe(0o600);
    const [first = ""] = (await readFile(archive, "utf8")).split("\n", 1);
    expect(JSON.parse(first)).toMatchObject({ sallyport: "archive", format: 4, without: [] });

    const restored = await run("copy", ["restore", "--input", archive], { masterKey: sealing });
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 1,221 objects of the database ".*" as of 20\d\d-.*Z\.\n$/),
    });
    expect(restored.stderr).toBe("");
    expect(await run("copy", ["user", "list"])).toMatchObject({ code: 0, stdout: expect.stringContaining("demo") });

    const again = join(folder, "again.ndjson.gz");
    expect(await run("copy", ["dump", "-o", again])).toEqual({
      code: 0,
      stdout: `Dumped 1,221 objects into ${again}.\n`,
      stderr: "",
    });
    expect(contents(gunzipSync(await readFile(again)))).toBe(contents(await readFile(archive)));
    expect((await readdir(folder)).filter((name) => name.endsWith(".partial"))).toEqual([]);

    const refused = await run("copy", ["restore", "-i", again], { masterKey: sealing });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The database "copy" is not empty\. .* Nothing was changed\.\n$/m),
    });
    expect(await run("copy", ["dump", "-o", again])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The file ${again} already exists. Nothing was written.`),
    });
  });

  test("archives pass through pipes, without excluded parts", async () => {
    const whole = await run("demo", ["dump", "-o", "-"]);
    expect(whole).toMatchObject({ code: 0, stderr: "Dumped 1,221 objects.\n" });
    expect(contents(whole.stdout)).toBe(contents(await readFile(archive)));
    const bare = await run("demo", ["dump", "-o", "-", "--no-credentials", "--no-keys"]);
    expect(whole.stdout).toMatch(/"secret": "\$argon2id.*"wrappedPrivateKey"/s);
    expect(bare.stdout).not.toMatch(/"secret":|"wrappedPrivateKey":|"digest":/);
    const restored = await run("bare", ["restore", "-i", "-"], { input: bare.stdout });
    expect(restored).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/note: The archive contains no credentials/),
    });
    expect(await run("bare", ["user", "list"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("There are no users."),
    });
    // The names of the user objects are reserved, though none of them has an account.
    const create = await run("bare", ["user", "create", "DEMO"], { input: "correct horse battery staple 1\n" });
    expect(create).toMatchObject({ code: 1, stderr: expect.stringContaining("too similar to one in use") });
  });

  test("another master key is reported, with the way to proceed", async () => {
    const other = await run("other", ["restore", "-i", archive], { masterKey: randomBytes(32).toString("base64") });
    expect(other).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /note: Another master key encrypted the jwt key of the archive\..*key rotate jwt --master-key-lost/,
      ),
    });
    const none = await run("none", ["restore", "-i", archive]);
    expect(none).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/note: The archive contains server keys, which need their master key/),
    });
  });

  test("a damaged archive leaves the database empty, and a complete one can follow", async () => {
    const text = await readFile(archive, "utf8");
    const damaged = join(folder, "damaged.ndjson");
    await writeFile(damaged, text.replace('"version": 1', '"version": 7'));
    expect(await run("target", ["restore", "-i", damaged])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /error: The archive .*damaged\.ndjson cannot be restored\. Line [\d,]+: the checksum does not match\. .* Nothing was changed\.\n$/,
      ),
    });
    await writeFile(damaged, text.slice(0, -100));
    expect(await run("target", ["restore", "-i", damaged])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Line [\d,]+: the archive is truncated in this line\. Nothing was changed\.\n$/),
    });
    await writeFile(`${damaged}.gz`, gzipSync(text).subarray(0, 5_000));
    expect(await run("target", ["restore", "-i", `${damaged}.gz`])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/its compressed data is damaged or truncated\. Nothing was changed\.\n$/),
    });
    expect(await run("target", ["restore", "-i", join(folder, "nowhere")])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The file .*nowhere cannot be used: ENOENT/),
    });
    expect(await run("target", ["restore", "-i", archive], { masterKey: sealing })).toMatchObject({ code: 0 });
  });

  // The short run moves archives through every storage in `storages.test.ts`.
  if (isFullRun) {
    test("a database moves from one embedded engine to another, through a Postgres", async () => {
      await mkdir(join(folder, "full"));
      await copyEmbeddedDemo(join(folder, "full"));
      const [first, second, third] = ["first", "second", "third"].map((name) => join(folder, `${name}.ndjson`)) as [
        string,
        string,
        string,
      ];
      for (const [alias, args] of [
        ["full", ["dump", "-o", first]],
        ["moved", ["restore", "-i", first]],
        ["moved", ["dump", "-o", second]],
        ["fresh", ["restore", "-i", second]],
        ["fresh", ["dump", "-o", third]],
      ] as const) {
        expect(await run(alias, args)).toMatchObject({ code: 0 });
      }
      const [one, ...others] = await Promise.all(
        [first, second, third].map(async (file) => contents(await readFile(file))),
      );
      expect(others).toEqual([one, one]);
    });
  }

  test.each([
    ["without an output file", ["dump"], /required option '-o, --output <file>' not specified/],
    ["without an input file", ["restore"], /required option '-i, --input <file>' not specified/],
    [
      "into a missing folder",
      ["dump", "-o", "missing/archive.ndjson"],
      /The file missing\/archive\.ndjson cannot be used: ENOENT/,
    ],
  ])("a command does nothing %s", async (_title, args, words) => {
    expect(await run("demo", args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
  });
});
