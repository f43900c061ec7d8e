import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import pg from "pg";
import { type Ended, ServerProcess } from "../server-process.ts";

describe("postgres diagnostics", () => {
  jest.setTimeout(60_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-trouble-"));
  let postgres: RealPostgres;
  let scratch: ScratchDatabase;
  let sql: pg.Client;
  let role: string;
  let host: string;

  beforeAll(async () => {
    postgres = await startRealPostgres();
    scratch = await postgres.createDatabase();
    ({ host } = new URL(scratch.directUrl));
    sql = new pg.Client({ connectionString: scratch.directUrl });
    await sql.connect();
    role = `role_${scratch.name.slice(-12)}`;
    await sql.query(`create role ${role} login password 'pw'`);
  });
  afterAll(async () => {
    await sql.query(`drop owned by ${role}; drop role ${role}`);
    await sql.end();
    await scratch.drop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  function url(change: { readonly username?: string; readonly password?: string; readonly pathname?: string }): string {
    return Object.assign(new URL(scratch.directUrl), change).href;
  }

  function run(args: readonly string[], databaseUrl: string): Promise<Ended> {
    return new ServerProcess(args, { NODE_ENV: "production", DATABASE_URL: databaseUrl }, folder).ended;
  }

  test.each([
    [
      "a database that does not exist",
      { pathname: "/no-such" },
      () => `The database "no-such" does not exist on the Postgres server at ${host}. Create it: createdb -h`,
    ],
    [
      "a role without access",
      { username: "nobody_here", password: "pw" },
      () => /refused the password of the role "nobody_here"|refused the role "nobody_here"/,
    ],
  ])("migrate explains %s", async (_title, change, expected) => {
    const { code, stdout, stderr } = await run(["migrate"], url(change));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const words = expected();
    if (typeof words === "string") expect(stderr).toContain(words);
    else expect(stderr).toMatch(words);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).not.toContain("sallyport-server migrate");
  });

  test("migrate reports a required password, and ends", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write(authentication(10, "SCRAM-SHA-256\0\0"));
        socket.once("data", () => socket.write(authentication(11, "r=nonce,s=c2FsdA==,i=4096")));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await run(["migrate"], `postgres://shop@127.0.0.1:${port}/till`);
    server.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: database (empty): The Postgres server at 127.0.0.1:${port} requires a password of the role "shop". The connection string has none.\n`,
    );
  });

  /** A message of a Postgres that asks for authentication. */
  function authentication(step: number, data: string): Buffer {
    const head = Buffer.alloc(9);
    head.write("R");
    head.writeInt32BE(8 + data.length, 1);
    head.writeInt32BE(step, 5);
    return Buffer.concat([head, Buffer.from(data)]);
  }

  test("migrate prints how a superuser creates the schema, and succeeds afterwards", async () => {
    const as = url({ username: role, password: "pw" });
    const refused = await run(["migrate"], as);
    const remedy = `create schema sallyport authorization ${role}`;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^error: .*: The role "\w+" cannot create the schema "sallyport" in the database "\w+"\. /,
    );
    expect(refused.stderr.trimEnd().endsWith(`Run as a superuser: ${remedy}`)).toBe(true);
    await sql.query(remedy);
    await expect(run(["migrate"], as)).resolves.toMatchObject({ code: 0, stderr: "" });
  });

  test("a server with a missing database logs it, and stays alive", async () => {
    const file = join(folder, "serve.json");
    writeFileSync(file, JSON.stringify({ databases: [{ storage: { url: url({ pathname: "/no-such" }) } }] }));
    const server = new ServerProcess(["serve", "--config", file], { PORT: "0" }, folder);
    try {
      await server.url();
      const line = await server.logged("Database unavailable");
      expect(line).toMatchObject({
        level: "warn",
        alias: "",
        code: 705,
        reason: expect.stringContaining('The database "no-such" does not exist'),
      });
      expect(line).not.toHaveProperty("err");
    } finally {
      await server.kill();
    }
  });
});
