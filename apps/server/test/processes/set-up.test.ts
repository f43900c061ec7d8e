import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { until } from "@sallyport/test-kit/jest/until";
import { runCommand, runOperator } from "./run-command.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

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
    return outcomeOf(await runCommand(line.split(" "), environment(), folder, input));
  }

  /** The same of a command of the operator. */
  async function operate(line: string, input?: string): Promise<string> {
    return outcomeOf(await runOperator(line.split(" "), environment(), folder, input));
  }

  const outcomeOf = ({ code, stdout, stderr }: Ended) => (code === 0 ? stdout.trim() : `${code} ${stderr.trim()}`);

  async function serviceCode(url: string): Promise<string> {
    const { status } = (await (await fetch(`${url}/_CheckService`)).json()) as { status: { internalStatus: string } };
    return status.internalStatus;
  }

  const everything =
    "durable, several processes, parallel transactions, value indexes, unlimited indexes, calls at once: 10";

  test("commands set up an empty Postgres beside a running server, until a user can log in", async () => {
    const url = await server.url();
    expect(await server.logged("Database unavailable")).toMatchObject({
      level: "warn",
      code: 705,
      reason: expect.stringContaining("not migrated"),
    });
    expect(await serviceCode(url)).toBe("705");
    expect((await fetch(`${url}/readyz`)).status).toBe(503);

    expect(await operate("app create shop")).toMatch(
      /^5 error: The database is not migrated\. Run "sallyport-server migrate"/,
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

    expect(await runOperator(["user", "list"], environment(), folder)).toEqual({
      code: 0,
      stdout: "",
      stderr: "There are no users.\n",
    });
    expect(await operate("user list --json")).toBe("[]");
    expect(await operate("app create shop --seats 3")).toBe('Created app name "shop".');
    expect(await operate("app create shop")).toMatch(/^1 error: [^]*The app name "shop" already exists\./);
    expect(await operate("app seats shop 2 --seat-kind user")).toBe('Set the seats of "shop" to 2.');
    expect(await operate("app list")).toBe("NAME  SEATS  KIND  TAKEN  SECOND FACTOR\nshop  2      user  0      off");
    expect(await operate("app seats shop 3 --seat-kind concurrent")).toBe('Set the seats of "shop" to 3.');
    expect(await operate("app seats cellar unlimited")).toMatch(/^1 error: [^]*There is no app name of this name/);
    expect(await operate("app-key create till --app-name shop cellar")).toMatch(/^1 error: [^]*There is no app name/);
    const appKey = await operate("app-key create till --app-name shop");
    expect(appKey).toMatch(/^[\w-]{43}$/);
    expect(await operate("user create boss --administrator --group Board", "pass word\n")).toMatch(
      /^1 error: There is no group "Board"/,
    );
    expect(
      await operate(
        "user create boss --administrator --email boss@example.com --group Board --create-groups",
        "pass word\n",
      ),
    ).toBe('Created user "boss".');
    expect(await operate("user create BOSS", "pass word\n")).toMatch(/^1 error: [^]*The user name is in use/);
    expect(await operate("user create other", "seven 7\n")).toMatch(
      /^1 error: [^]*The password has fewer than 8 characters\./,
    );
    expect(await operate("user create other", "Password123\n")).toMatch(
      /^1 error: [^]*The password is in a list of breached passwords\./,
    );
    expect(await operate("user create other --password-digest", "pass word\n")).toMatch(/^1 error: [^]*passwordDigest/);
    expect(await operate("user create other", "\n")).toMatch(/^2 error: New password is missing/);

    expect(await operate("app list")).toBe(
      "NAME  SEATS  KIND        TAKEN  SECOND FACTOR\nshop  3      concurrent  0      off",
    );
    expect(await operate("app-key list")).toMatch(
      /^NAME +ID +STATE +SCOPE +APP NAMES +ORIGINS.*\ntill +\S+ +enabled +app +shop +none/,
    );
    expect(await operate("user list")).toMatch(
      /^NAME +ID +STATE +ADMINISTRATOR +GROUPS\nboss +\S+ +enabled +yes +Board$/,
    );
    const listed = await Promise.all(
      ["app", "app-key", "user"].map(async (what) => JSON.parse(await operate(`${what} list --json`))),
    );
    expect(listed).toMatchObject([
      [{ name: "shop", seats: 3, seatKind: "concurrent", taken: 0, secondFactor: "off" }],
      [{ name: "till", scope: "app", enabled: true, appNames: ["shop"], origins: [], returnAddresses: [] }],
      [
        {
          name: "boss",
          userId: expect.stringMatching(/^[0-9A-Z]+$/),
          enabled: true,
          administrator: true,
          email: "boss@example.com",
          groups: [expect.any(String)],
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
    expect(await operate("user set-password nobody", "pass phrase\n")).toBe('1 error: There is no user "nobody".');
    expect(await operate("user set-password boss", "1 2 3 4\n")).toMatch(
      /^1 error: [^]*The password has fewer than 8 characters\./,
    );
    expect(await check(url, appKey, sessionId)).toBe("0");
    expect(await operate("user set-password boss", "pass phrase\n")).toBe(
      'Set the password of "boss" and ended all sessions.',
    );
    expect(await check(url, appKey, sessionId)).toBe("201");
    expect(await logIn(url, appKey)).toMatchObject({ status: { internalStatus: "302" } });
    expect(await operate("user set-password boss", "pass word\n")).toMatch(/^Set the password of /);
    expect(await logIn(url, appKey)).toMatchObject({ status: { internalStatus: "0" } });

    expect(await operate("--all maintenance on --for 10m --message Moving.")).toBe(
      "database (empty):\nMaintenance mode is on.",
    );
    const maintained = await fetch(`${url}/_CheckService`);
    expect(maintained.status).toBe(503);
    expect(Number(maintained.headers.get("retry-after"))).toBeGreaterThan(500);
    expect(await maintained.json()).toMatchObject({ status: { internalStatus: "706", notice: "Moving." } });
    expect(await operate("maintenance off")).toBe("Maintenance mode is off.");
    expect(await operate("app-key disable till")).toBe(
      'Disabled app key "till". To free the seats of its sessions, run session end --app-key.',
    );
    expect(await logIn(url, appKey)).toMatchObject({ status: { internalStatus: "101" } });
    expect(await operate("app-key enable till")).toBe('Enabled app key "till".');

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
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    await until(async () => (await metrics()).includes("sallyport_incomplete_bodies 1"));
    return socket;
  }

  test("app-key import accepts a key of 3 characters with a warning", async () => {
    writeFileSync(join(folder, "fixed.key"), "abc\n");
    writeFileSync(join(folder, "tiny.key"), "ab\n");
    const create = (file: string) =>
      runCommand(["app-key", "import", `by ${file}`, "--key-file", file], environment(), folder);
    expect(await create("fixed.key")).toMatchObject({
      code: 0,
      stdout: 'Imported app key "by fixed.key".\n',
      stderr: expect.stringContaining("Warning: the key has fewer than 16 characters and can be guessed."),
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
