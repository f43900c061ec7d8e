import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import type { EndedCommand } from "@sallyport/test-kit/commands/run-in-process";
import { program, run as runProgram, serverProgram } from "./served-command-line.ts";

jest.setTimeout(300_000);

const password = "a word of my own";
const engines = ["the embedded engine", "Postgres"] as const;

describe.each(engines)("the operator, on %s", (engine) => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-operator-"));
  const undo: (() => Promise<void>)[] = [];
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    NODE_ENV: "production",
    SALLYPORT_CONFIG: join(folder, "server.json"),
    MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    ARGON2_MEMORY_COST: "8",
    ARGON2_TIME_COST: "1",
    PORT: "0",
  };
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const storages = await (engine === "Postgres" ? onPostgres() : inDirectory());
    const databases = ["", "archive"].map((alias, index) => ({ alias, storage: storages[index] }));
    writeFileSync(environment.SALLYPORT_CONFIG, JSON.stringify({ databases }));
    const { code, stderr } = await runProgram(serverProgram, ["migrate"], environment);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  });
  afterAll(async () => {
    for (const each of undo.toReversed()) await each();
    rmSync(folder, { recursive: true });
  });

  function inDirectory() {
    return ["one", "two"].map((schema) => ({ engine: "embedded", dataDir: join(folder, "data"), schema }));
  }

  async function onPostgres() {
    const postgres = await startRealPostgres();
    const database = await postgres.createDatabase();
    undo.push(
      () => postgres.stop(),
      () => database.drop(),
    );
    return ["one", "two"].map((schema) => ({ url: database.url, schema }));
  }

  const operate = (line: string, input = ""): Promise<EndedCommand> =>
    runProgram(program, ["--local", ...line.split(" ")], environment, input);

  async function output(line: string, input = ""): Promise<string> {
    const { code, stdout, stderr } = await operate(line, input);
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
    return stdout.trim();
  }

  async function serve(): Promise<void> {
    server = spawn(process.execPath, [serverProgram, "serve"], { env: environment, cwd: folder });
    const ended = once(server, "close");
    undo.push(async () => {
      server.kill("SIGTERM");
      await ended;
    });
    let log = "";
    url = await new Promise((found) => {
      server.stdout?.setEncoding("utf8").on("data", (part: string) => {
        log += part;
        const address = /"address":"(http[^"]+)"/.exec(log)?.[1];
        if (address !== undefined) found(address);
      });
    });
  }

  async function logIn(path: string, appkey: string, body: object): Promise<string> {
    const headers = { appkey, "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await response.json()) as { status: { internalStatus: string } }).status.internalStatus;
  }

  test("sets up an empty database, and changes it beside the server", async () => {
    expect(await output("user create ann --administrator", `${password}\n`)).toBe('Created user "ann".');
    const key = await output("app-key create console --scope admin");
    await output("app create office");
    await serve();
    const pass = { user: "ann", pass: password, appNames: ["office"] };
    expect(await logIn("/admin/v1/login", key, { user: "ann", pass: password })).toBe("0");

    const appKey = await output("app-key create till --app-name office");
    expect(await logIn("/v1/login", appKey, pass)).toBe("0");
    expect(await output("session list --user ann")).toMatch(/ann +office/);
    for (const line of ["user disable ann", "user change ann --rights view"]) {
      const refused = await operate(line);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("The last administrator")]);
    }

    await output("user create bob", `${password}\n`);
    expect(await logIn("/v1/login", appKey, { ...pass, user: "bob" })).toBe("0");
    expect(await output("ban add --user bob --dry-run")).toContain("It would ban");
    expect(await output("user disable bob")).toBe('Disabled user "bob". Their sessions have ended.');
    expect(await logIn("/v1/login", appKey, { ...pass, user: "bob" })).toBe("302");
  });

  test("is the system in the audit", async () => {
    const events = JSON.parse(await output("audit list --type account.disabled --json"));
    expect(events).toMatchObject([{ actorId: null, appKeyId: "", requestId: "", address: "" }]);
    expect(await output("audit list --type account.disabled")).toMatch(/account\.disabled +0 +bob +system/);
  });

  test("works on every database, one after another", async () => {
    expect(await output("--all maintenance on")).toBe(
      'database (empty):\nMaintenance mode is on.\ndatabase "archive":\nMaintenance mode is on.',
    );
    expect(JSON.parse(await output("--alias archive maintenance show --json"))).toMatchObject({ active: true });
    await output("--all maintenance off");
    expect(JSON.parse(await output("--all maintenance show --json"))).toMatchObject([
      { alias: "", data: { active: false } },
      { alias: "archive", data: { active: false } },
    ]);
  });

  test("can explain why a command of theirs was refused", async () => {
    const { stderr } = await operate("session end 0123456789abcdef");
    const [, id = ""] = /Request id: (\S+)/.exec(stderr) ?? [];
    expect(await output(`why ${id}`)).toContain("/admin/v1/sessions/{id}");
  });

  test.each([
    ["a log-in", "log-in", 2, "needs no log-in"],
    ["an unknown alias", "--alias nowhere user list", 5, 'There is no database "nowhere"'],
    ["an alias and all", "--all --alias archive user list", 2, "either --all or --alias"],
    ["a missing configuration", "--config nowhere.json user list", 5, "nowhere.json"],
  ])("is refused for %s", async (_what, line, code, words) => {
    const ended = await operate(line);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringContaining(words) });
  });
});

test("options of the operator need --local", async () => {
  const environment = { PATH: process.env["PATH"] ?? "", HOME: tmpdir() };
  const { code, stderr } = await runProgram(program, ["--all", "user", "list"], environment);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("belong to --local") });
});
