import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { until } from "@sallyport/test-kit/jest/until";
import { operatorProgram, ServerProcess } from "./server-process.ts";

jest.setTimeout(120_000);

describe("serve", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-serve-"));
  const running: ServerProcess[] = [];
  const sockets: (Server | Socket)[] = [];
  afterEach(async () => {
    for (const each of sockets.splice(0)) {
      if (each instanceof Socket) each.destroy();
      else each.close();
    }
    await Promise.all(running.splice(0).map((server) => server.kill()));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Starts a server with databases in memory and this content. */
  function serve(content: object = {}, environment: Record<string, string> = {}): ServerProcess {
    const file = join(folder, `${Math.random()}.json`);
    writeFileSync(file, JSON.stringify({ databases: [{ storage: { engine: "memory" } }], ...content }));
    const server = new ServerProcess(
      ["serve", "--config", file],
      { PORT: "0", DRAIN_DELAY: "0s", ...environment },
      folder,
    );
    running.push(server);
    return server;
  }

  async function connected(url: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return socket;
  }

  /** Resolves when connections are refused. */
  async function refused(url: string): Promise<void> {
    await until(() =>
      connected(url).then(
        (socket) => void socket.destroy(),
        () => true,
      ),
    );
  }

  /** A server with an unfinished request: its database accepts connections and never answers. */
  async function serveStuck(content: object = {}): Promise<{ server: ServerProcess; url: string }> {
    let silent = false;
    const database = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {});
      if (!silent) socket.destroy();
    });
    sockets.push(database);
    database.listen(0, "127.0.0.1");
    await once(database, "listening");
    const { port } = database.address() as AddressInfo;
    const server = serve({
      databases: [{ storage: { engine: "postgres", url: `postgres://u@127.0.0.1:${port}/d` } }],
      ...content,
    });
    const url = await server.url();
    silent = true;
    const asked = once(database, "connection");
    const client = await connected(url);
    sockets.push(client);
    client.on("error", () => {});
    client.write("GET /_CheckService HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await asked;
    return { server, url };
  }

  test("SIGHUP applies the databases of the configuration, and an invalid one changes nothing", async () => {
    const storage = { engine: "memory" };
    const file = join(folder, "changed.json");
    const configure = (databases: readonly object[]) => writeFileSync(file, JSON.stringify({ databases }));
    configure([{ storage }]);
    const server = new ServerProcess(["serve", "--config", file], { PORT: "0", DRAIN_DELAY: "0s" }, folder);
    running.push(server);
    const url = await server.url();
    const statusOf = async (alias: string) => (await fetch(`${url}${alias}/_CheckService`)).status;
    expect(await statusOf("/added")).toBe(404);
    configure([{ storage }, { alias: "added", storage }]);
    server.signal("SIGHUP");
    await server.logged("Reloaded");
    expect([await statusOf(""), await statusOf("/added")]).toEqual([200, 200]);
    configure([
      { alias: "added", storage },
      { alias: "added", storage },
    ]);
    server.signal("SIGHUP");
    expect(await server.logged("Reload refused: the configuration is invalid")).toMatchObject({
      reason: expect.stringContaining("is already used by databases[0]"),
    });
    expect([await statusOf(""), await statusOf("/added")]).toEqual([200, 200]);
    server.signal("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("SIGTERM ends it with 0 despite idle connections", async () => {
    const server = serve();
    const url = await server.url();
    await fetch(`${url}/healthz`);
    const silent = await connected(url);
    server.signal("SIGTERM");
    await expect(server.ended).resolves.toMatchObject({ code: 0, stderr: "" });
    expect(
      server
        .lines()
        .map(({ msg }) => msg)
        .slice(-2),
    ).toEqual(["Shutting down", "Stopped"]);
    silent.destroy();
  });

  test("after SIGTERM the server is not ready, still serves requests, and closes connections", async () => {
    const server = serve({}, { DRAIN_DELAY: "2s" });
    const url = await server.url();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.signal("SIGTERM");
    await server.logged("Shutting down");
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    const answer = await fetch(`${url}/_CheckService`);
    expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
    await expect(server.ended).resolves.toMatchObject({ code: 0 });
  });

  test("SIGINT skips the drain delay", async () => {
    const server = serve({}, { DRAIN_DELAY: "10m" });
    await server.url();
    server.signal("SIGINT");
    await expect(server.ended).resolves.toMatchObject({ code: 0 });
  });

  test("unfinished work is cut off at the time limit, and it exits with 0", async () => {
    const { server } = await serveStuck({ server: { timeouts: { drain: "50ms" } } });
    server.signal("SIGINT");
    await expect(server.ended).resolves.toMatchObject({ code: 0 });
    expect(server.lines()).toContainEqual(
      expect.objectContaining({ level: "warn", msg: expect.stringMatching(/^Drain timed out/) }),
    );
  });

  test("a second signal ends it at once", async () => {
    const { server, url } = await serveStuck();
    server.signal("SIGTERM");
    await refused(url);
    server.signal("SIGTERM");
    await expect(server.ended).resolves.toMatchObject({ code: 1 });
  });

  test("every log line is JSON; a request's line has its id, and neither query nor headers", async () => {
    const server = serve();
    const url = await server.url();
    await fetch(`${url}/v1/object/1?secretQuery=1`, { headers: { appkey: "secretKey", "x-request-id": "my-request" } });
    const line = await server.logged("Request completed");
    expect(line).toMatchObject({
      level: "info",
      requestId: "my-request",
      route: "/v1/object/{idOrClass}",
      code: 101,
      status: 401,
    });
    expect(JSON.stringify(server.lines())).not.toMatch(/secretQuery|secretKey/);
    server.signal("SIGTERM");
    const { stdout, stderr } = await server.ended;
    expect(stderr).toBe("");
    for (const each of stdout.trim().split("\n")) expect(() => JSON.parse(each)).not.toThrow();
  });

  test("an unreachable database is a warning, and the server starts", async () => {
    const down = { alias: "down", storage: { engine: "postgres", url: "postgres://u:S3cret@127.0.0.1:1/d" } };
    const server = serve({ databases: [{ storage: { engine: "memory" } }, down] });
    const url = await server.url();
    expect(await server.logged("Database unavailable")).toMatchObject({
      level: "warn",
      alias: "down",
      code: 704,
      reason: "No Postgres server responds at 127.0.0.1:1 (ECONNREFUSED).",
    });
    const answer = await fetch(`${url}/down/_CheckService`);
    expect(answer.status).toBe(500);
    await expect(answer.json()).resolves.toMatchObject({ status: { internalStatus: "704" } });
    expect(JSON.stringify(server.lines())).not.toContain("S3cret");
  });

  test.each([
    ["in production", { NODE_ENV: "production" }],
    ["beyond loopback", { HOST: "0.0.0.0" }],
  ])("does not start without a configuration %s, and explains how to configure", async (_title, environment) => {
    const { code, stdout, stderr } = await new ServerProcess([], { PORT: "0", ...environment }, folder).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: No configuration was found, and .*DATABASE_URL.*\n$/);
  });

  test("reports a port in use without a stack", async () => {
    const { port } = new URL(await serve().url());
    const second = serve({}, { PORT: port });
    const { code, stderr } = await second.ended;
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: Port ${port} on 127.0.0.1 is already in use. Set PORT to another port, or to 0 for a free one.\n`,
    );
  });
});

describe("demo", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const creation = "Creating database";

  const command = (args: readonly string[], input?: string) =>
    new ServerProcess(["--local", ...args], { DATA_DIR: "kept" }, folder, input, operatorProgram).ended;

  const start = () => new ServerProcess([], { PORT: "0", DATA_DIR: "kept" }, folder);

  async function ask(
    url: string,
    path: string,
    headers: object = {},
    body?: object,
  ): Promise<{ code: string; data: Record<string, unknown> }> {
    const answer = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { appkey: "demo-app-key", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status, data } = (await answer.json()) as {
      status: { internalStatus: string };
      data: Record<string, unknown>;
    };
    return { code: status.internalStatus, data };
  }

  test("needs no settings, keeps acknowledged writes when killed, locks its directory, and admits commands", async () => {
    const first = start();
    try {
      const creating = await first.logged(creation);
      expect(creating).toMatchObject({ level: "info", dataDir: join(folder, "kept") });
      expect(first.lines()).toEqual([creating]);
      const url = await first.url();
      const { stdout, stderr, code } = await start().ended;
      expect({ code, stdout: stdout.includes("Listening") }).toEqual({ code: 1, stdout: false });
      expect(stderr).toMatch(/^error: The data directory .*kept is in use by process \d+/);

      const made = await command(["app-key", "create", "another-client", "--app-name", "demo-app"]);
      expect(made).toMatchObject({ code: 0 });
      const appkey = /^[\w-]{43}$/m.exec(made.stdout)?.[0] ?? "";
      // Hashed as clients do, although it looks like an MD5.
      const typed = "0123456789abcdef0123456789abcdef";
      expect(await command(["user", "create", "ann", "--group", "Readers"], `${typed}\n`)).toMatchObject({
        code: 0,
        stdout: 'Created user "ann".\n',
      });
      const logIn = () =>
        ask(
          url,
          "/v1/login",
          { appkey },
          { user: "ann", pass: createHash("md5").update(typed).digest("hex"), appNames: ["demo-app"] },
        );
      expect(await logIn()).toMatchObject({ code: "0" });
      // Commands get the database in turn, however many there are.
      const others = await Promise.all([
        command(["app-key", "disable", "another-client"]),
        command(["user", "list", "--json"]),
      ]);
      expect(others.map(({ code: exit, stderr: complaint }) => [exit, complaint.replace(/^note: .*\n/, "")])).toEqual([
        [0, ""],
        [0, ""],
      ]);
      expect(await logIn()).toMatchObject({ code: "101" });

      const { data } = await ask(url, "/second/v1/login", {}, { user: "demo", pass: "demo", appNames: ["demo-app"] });
      const sessionId = String(data["sessionId"]);
      await first.kill();
      expect((await first.ended).stdout).toContain(url);

      const again = start();
      try {
        const restarted = await again.url();
        expect(await ask(restarted, "/second/_CheckSession", { sessionId })).toMatchObject({ code: "0" });
        expect(await ask(restarted, "/second/v1/objects/Customer?perPage=1", { sessionId })).toMatchObject({
          data: { "~Count": 200 },
        });
        // A session is valid in the database that opened it only.
        expect(await ask(restarted, "/_CheckSession", { sessionId })).toMatchObject({ code: "201" });
        expect(again.lines().map(({ msg }) => msg)).not.toContain("Demo data added");
        expect(again.lines().map(({ msg }) => msg)).not.toContain(creation);
      } finally {
        await again.kill();
      }
    } finally {
      await first.kill();
    }
  });
});
