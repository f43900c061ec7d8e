import { jest } from "@jest/globals";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-commands-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: string[], environment: Record<string, string> = {}, input?: string): Promise<Ended> =>
  new ServerProcess(args, environment, folder, input).ended;

function configured(content: object): string {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe("check-config", () => {
  test("prints what results, without secrets, and warns apart", async () => {
    const file = configured({ databases: [{ storage: { url: "postgres://u:S3cret@h/d" } }, { alias: "later" }] });
    const { code, stdout, stderr } = await run(["check-config", "--config", file]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ databases: [{ storage: { url: "postgres://u:***@h/d" } }, { alias: "later" }] });
    expect(stderr).toMatch(/^warning: .*"later" has no storage/);
    expect(stdout).not.toContain("S3cret");
  });

  test("lists every fault, without secrets, and ends with 1", async () => {
    const file = configured({ server: { prot: 1 }, databases: [{ alias: "v1", storage: { url: "S3cret" } }] });
    const { code, stdout, stderr } = await run(["check-config", "--config", file], { PORT: "x" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const path of ["server.port (PORT)", "server.prot", "databases[0].alias", "databases[0].storage.url"]) {
      expect(stderr).toContain(`  - ${path}: `);
    }
    expect(stderr).not.toContain("S3cret");
    expect(stderr).not.toContain("    at ");
  });

  test("finds the file in the working directory, or by SALLYPORT_CONFIG", async () => {
    const file = join(folder, "sallyport.config.json");
    writeFileSync(file, JSON.stringify({ applicationName: "found-here", databases: [{ alias: "a" }] }));
    expect(JSON.parse((await run(["check-config"])).stdout)).toMatchObject({ applicationName: "found-here" });
    rmSync(file);
    const other = configured({ applicationName: "found-there", databases: [{ alias: "a" }] });
    expect(JSON.parse((await run(["check-config"], { SALLYPORT_CONFIG: other })).stdout)).toMatchObject({ applicationName: "found-there" });
  });
});

test("a command that does not exist is an error", async () => {
  const { code, stderr } = await run(["frobnicate"]);
  expect(code).toBe(1);
  expect(stderr).toContain("--help");
});

test.each([
  ["seed in production", ["seed"], { NODE_ENV: "production", DATABASE_URL: "postgres://h/d" }, /not with NODE_ENV=production/],
  ["seed beyond loopback", ["seed"], { HOST: "0.0.0.0", DATABASE_URL: "postgres://h/d" }, /not while the server listens on 0\.0\.0\.0/],
  ["a database that is down", ["migrate"], { DATABASE_URL: "postgres://u:S3cret@127.0.0.1:1/d" }, /The database cannot be reached/],
  ["an alias that is not configured", ["maintenance", "on", "--alias", "x"], { DATABASE_URL: "postgres://h/d" }, /no database "x".*"second"/],
  ["an origin that is none", ["app-key", "create", "a", "--origin", "a.example/x"], {}, /is no origin/],
  ["seats that are no number", ["app", "create", "a", "--seats", "many"], {}, /--seats takes/],
])("%s is refused in plain words", async (_title, args, environment, expected) => {
  const { code, stderr } = await run(args, environment);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toMatch(expected);
  expect(stderr).not.toMatch(/S3cret|^ +at /m);
});

/** Each step finds what the ones before it left in the directory. */
test("an empty database is set up by commands until somebody can log in", async () => {
  const file = configured({ databases: [{ name: "house", storage: { engine: "embedded", dataDir: "house", migrateOnStart: false } }] });
  const command = async (line: string, input?: string): Promise<string> => {
    const { code, stdout, stderr } = await run([...line.split(" "), "--config", file], {}, input);
    return code === 0 ? stdout.trim() : `${code} ${stderr.trim()}`;
  };

  expect(await command("app create shop")).toMatch(/^1 error: The database is not migrated\. Run "sallyport-server migrate"/);
  expect(await command("migrate")).toMatch(/^database without alias: applied 0001/);
  expect(await command("app create shop --seats 3")).toBe('The app "shop" exists now.');
  expect(await command("app-key create till --app-name shop cellar")).toMatch(/^1 error: The database does not know the app "cellar"/);
  const appKey = await command("app-key create till --app-name shop");
  expect(appKey).toMatch(/^[\w-]{43}$/);
  expect(await command("user create boss --administrator --group Board", "pass word\n")).toMatch(/^1 error: There is no user group "Board"/);
  expect(await command("user create boss --administrator --group Board --create-groups", "pass word\n")).toBe('The user "boss" exists now.');
  expect(await command("user create BOSS", "x\n")).toMatch(/^1 error: The user name is taken/);
  expect(await command("user create other", "\n")).toMatch(/^1 error: The password is empty/);
  expect(await command("seed")).toMatch(/^1 error: The database is not empty/);

  const server = new ServerProcess(["serve", "--config", file], { PORT: "0" }, folder);
  try {
    const url = await server.url();
    expect(await command("maintenance on")).toMatch(/^1 error: The data directory .* is in use by process/);
    const body = JSON.stringify({ user: "boss", pass: "pass word", appNames: ["shop"] });
    const socket = await halfSent(url, appKey, body);
    server.signal("SIGTERM");
    await server.logged("stopping");
    socket.write(body.slice(5));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
      status: { internalStatus: "0" },
      data: { databaseName: "house", user: { Name: "boss", Groups: { "~Elements": [{ Name: "Board" }] } } },
    });
    await expect(server.ended).resolves.toMatchObject({ code: 0 });
  } finally {
    await server.kill();
  }
  expect(await command("app-key disable till")).toBe('The app key "till" is disabled.');
  expect(await command("maintenance on")).toBe("Maintenance is on.");
}, 180_000);

/** Sends the first half of a log-in and waits until the server works on it. */
async function halfSent(url: string, appKey: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const headers = ["Host: x", `appkey: ${appKey}`, "Content-Type: application/json", `Content-Length: ${body.length}`];
  socket.write(`${["POST /v1/login HTTP/1.1", ...headers].join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (metrics.includes("sallyport_requests_in_flight 1")) return socket;
  }
}
