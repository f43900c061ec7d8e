import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { administrationOperations, databaseOperations, operationsOf } from "@sallyport/contract";
import { SallyportAdmin } from "@sallyport/client/admin";
import type { RunningServer } from "../../src/index.ts";
import { openConsole } from "../administration/administration-fixture.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { startConfiguredServer, startDemoServer, startSeededServer } from "../demo-server.ts";
import { runCommand } from "../processes/run-command.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { tuned } from "../test-environment.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-console-"));
const built: Readonly<Record<string, string>> = {
  "index.html": "<!doctype html><title>Console</title>",
  "icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  "assets/index-B1x_9-Zq.js": "export {};",
  "assets/plain.css": ":root {}",
};
mkdirSync(join(folder, "assets"));
for (const [name, text] of Object.entries(built)) writeFileSync(join(folder, name), text);
const withFiles = tuned({ consoleFolder: folder });
const inMemory = { storage: { engine: "memory" } };
const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

afterAll(() => rmSync(folder, { recursive: true }));

interface Taken {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function take(url: string, path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Taken> {
  const answer = await fetch(url + path, { redirect: "manual", headers, method });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

/** 304 of the catalogue, or what came instead. */
const absenceOf = ({ status, text }: Taken): unknown =>
  status === 404 ? JSON.parse(text).status.internalStatus : { status, text };

const policy = [
  "connect-src 'self'",
  "base-uri 'none'",
  "default-src 'none'",
  "font-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' blob:",
  "require-trusted-types-for 'script'",
  "script-src 'self'",
  "style-src 'self'",
  "trusted-types console-worker",
  "worker-src 'self'",
].toSorted();

const directivesOf = ({ headers }: Pick<Taken, "headers">): string[] =>
  (headers.get("content-security-policy") ?? "").split("; ").toSorted();

describe("console", () => {
  let server: RunningServer;
  beforeAll(async () => {
    const look = { label: "Production", color: "#c92a2a", appKey: "public-key", appName: "office" };
    const storages = [inMemory.storage, { ...inMemory.storage }] as const;
    server = await startSeededServer(storages, withFiles, undefined, { console: look, docs: { enabled: true } });
  });
  afterAll(() => server.close());

  test.each([
    ["/console", "/console/"],
    ["/second/console", "/second/console/"],
    ["/", "/console/"],
  ])("%s leads to %s, by a relative address", async (path, target) => {
    const { status, headers } = await take(server.url, path, asBrowser);
    const location = headers.get("location") ?? "";
    expect([status, new URL(location, server.url + path).pathname]).toEqual([302, target]);
    expect(location).not.toMatch(/^\/|:/);
    const head = await take(server.url, path, asBrowser, "HEAD");
    expect([head.status, head.headers.get("location")]).toEqual([302, location]);
  });

  test("programs get no start page", async () => {
    expect(absenceOf(await take(server.url, "/"))).toBe("304");
  });

  test.each([
    ["/console/", "index.html", "text/html; charset=utf-8", "no-cache"],
    ["/second/console/", "index.html", "text/html; charset=utf-8", "no-cache"],
    ["/console/index.html", "index.html", "text/html; charset=utf-8", "no-cache"],
    ["/console/icon.svg", "icon.svg", "image/svg+xml", "no-cache"],
    ["/console/assets/plain.css", "assets/plain.css", "text/css; charset=utf-8", "no-cache"],
    [
      "/second/console/assets/index-B1x_9-Zq.js",
      "assets/index-B1x_9-Zq.js",
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ],
  ])("serves %s", async (path, name, type, caching) => {
    const taken = await take(server.url, path);
    const { status, text, headers } = taken;
    expect({ status, text, type: headers.get("content-type") }).toEqual({ status: 200, text: built[name], type });
    expect(headers.get("cache-control")).toBe(caching);
    expect(directivesOf(taken)).toEqual(policy);
    const revalidated = { "if-none-match": headers.get("etag") ?? "", "cache-control": "max-age=0" };
    expect((await take(server.url, path, revalidated)).status).toBe(304);
    expect(await take(server.url, path, {}, "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  test.each([
    "/nothing/console",
    "/nothing/console/",
    "/console/nothing.js",
    "/console/assets",
    "/console/assets/",
    "/console/..%2fpackage.json",
    "/console/assets/..%2findex.html",
    "/console/%2e%2e/index.html",
    "/console/assets%2fplain.css/x",
    "/console/%zz",
    "/console/%00",
    "/console/constructor",
    "/CONSOLE/",
    "/v1/console/",
    "/second/second/console/",
  ])("serves nothing else: %s", async (path) => {
    expect(absenceOf(await take(server.url, path))).toBe("304");
  });

  test.each(["POST", "DELETE"])("does not serve %s", async (method) => {
    expect(absenceOf(await take(server.url, "/console/", {}, method))).toBe("304");
  });

  test("tells the page what it needs before the log-in, about its own database only", async () => {
    const { status, text, headers } = await take(server.url, "/second/console/config.json");
    const look = { label: "Production", color: "#c92a2a" };
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        alias: "second",
        databases: [{ alias: "second", ...look }],
        ...look,
        appKey: "public-key",
        appName: "office",
      },
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("documents", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("embedded", withFiles);
  }, 60_000);
  afterAll(() => server.close());

  test("every route that answers with HTML, SVG or XML has a strict policy", async () => {
    const operations = [...operationsOf(databaseOperations), ...operationsOf(administrationOperations)];
    const paths = [
      ...new Set(operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, "x"))),
      "/",
      "/docs",
      "/docs/",
      "/docs/offline",
      "/console",
      "/console/",
      "/console/config.json",
      ...Object.keys(built).map((name) => `/console/${name}`),
      ...["playground.js", "own-example.js", "start.css", "offline.js", "offline-worker.js"].map(
        (name) => `/docs/${name}`,
      ),
      "/healthz",
      "/readyz",
      "/metrics",
      "/.well-known/jwks.json",
      "/nothing",
      "/favicon.ico",
    ];
    const documents = new Map<string, Taken>();
    for (const path of paths)
      for (const method of ["GET", "POST"]) {
        const taken = await take(server.url, path, asBrowser, method);
        if (/html|svg|xml/.test(taken.headers.get("content-type") ?? "")) documents.set(`${method} ${path}`, taken);
      }
    expect([...documents.keys()].toSorted()).toEqual([
      "GET /",
      "GET /console",
      "GET /console/",
      "GET /console/icon.svg",
      "GET /console/index.html",
      "GET /docs",
      "GET /docs/",
      "GET /docs/offline",
    ]);
    for (const [route, taken] of documents) {
      const directives = directivesOf(taken);
      // Swagger UI writes markup, and the offline sample registers a service worker.
      const expected = route.includes("/docs")
        ? policy
            .filter((each) => !/trusted-types|font-src|worker-src/.test(each))
            .map((each) => (each.startsWith("img-src") ? "img-src 'self' data:" : each))
        : policy;
      expect([route, directives]).toEqual([route, expected]);
      expect([route, Object.fromEntries(taken.headers)]).toMatchObject([
        route,
        {
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
        },
      ]);
    }
  });
});

describe("reach of the console", () => {
  const databases = [{ alias: "", ...inMemory }];
  const guarded = ["/console/", "/console/config.json", "/admin/v1/openapi.json"];
  const running: RunningServer[] = [];
  const start = async (content: object, environment = withFiles): Promise<RunningServer> => {
    const server = await startConfiguredServer({ databases, ...content }, environment);
    running.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  test.each<[what: string, content: object, environment: Readonly<Record<string, string>>, absent: readonly string[]]>([
    ["it is turned off", { console: { enabled: false } }, withFiles, guarded.slice(0, 2)],
    ["the administration is turned off", { administration: { enabled: false } }, withFiles, guarded],
    ["it is not built", {}, tuned({ consoleFolder: join(folder, "nothing") }), guarded.slice(0, 2)],
    ["the client is not allowed", { console: { allow: ["192.0.2.0/24", "2001:db8::1"] } }, withFiles, guarded],
  ])("does not exist if %s", async (_what, content, environment, absent) => {
    const { url } = await start(content, environment);
    for (const path of guarded)
      expect([path, (await take(url, path)).status]).toEqual([path, absent.includes(path) ? 404 : 200]);
    for (const path of absent) expect([path, absenceOf(await take(url, path))]).toEqual([path, "304"]);
    expect((await take(url, "/_CheckService")).status).toBe(200);
  });

  test.each([
    ["192.0.2.7", true],
    ["192.0.3.7", false],
    ["2001:db8::1", true],
    ["2001:db8::2", false],
    ["unknown", false],
    ["127.0.0.1", false],
  ])("the client at %s is allowed: %s", async (address, allowed) => {
    const { url } = await start({
      server: { trustedProxies: ["127.0.0.1"] },
      console: { allow: ["192.0.2.0/24", "2001:db8::1"] },
    });
    for (const path of guarded) {
      const { status } = await take(url, path, { "x-forwarded-for": address });
      expect([path, status]).toEqual([path, allowed ? 200 : 404]);
    }
  });

  test("a listener of its own serves it and the administration, beside all else", async () => {
    const { url, consoleUrl } = await start({ console: { listen: "127.0.0.1:0" }, server: { basePath: "/api" } });
    expect(consoleUrl).not.toBe(url);
    for (const path of guarded) {
      expect([path, absenceOf(await take(url, path))]).toEqual([path, "304"]);
      expect([path, (await take(consoleUrl as string, path)).status]).toEqual([path, 200]);
    }
    for (const each of [url, consoleUrl as string]) expect((await take(each, "/_CheckService")).status).toBe(200);
  });

  test("a session of it works there only", async () => {
    const engines = [{ engine: "memory" }, { engine: "memory" }] as const;
    const server = await startSeededServer(engines, withFiles, undefined, { console: { listen: "127.0.0.1:0" } });
    running.push(server);
    const { appKey: appkey, sessionId: sessionid } = await openConsole(server);
    const codeAt = async (url: string): Promise<string> => {
      const { text } = await take(url, "/v1/objects/Customer?perPage=1", { appkey, sessionid });
      return (JSON.parse(text) as { status: { internalStatus: string } }).status.internalStatus;
    };
    expect([await codeAt(server.consoleUrl as string), await codeAt(server.url)]).toEqual(["0", "101"]);
  });
});

describe("link to the console", () => {
  const data = mkdtempSync(join(tmpdir(), "sallyport-console-link-"));
  beforeAll(() => copyEmbeddedDemo(data));
  afterAll(() => rmSync(data, { recursive: true }));

  const storage = (schema: string) => ({ engine: "embedded", dataDir: data, schema });
  const configured = (content: object): string => {
    const file = join(data, `${Object.keys(content).join("-") || "usual"}.json`);
    const databases = [
      { alias: "", storage: storage("sallyport_demo") },
      { alias: "second", storage: storage("sallyport_demo_second") },
    ];
    writeFileSync(file, JSON.stringify({ databases, ...content }));
    return file;
  };
  const link = (file: string, ...args: readonly string[]) =>
    runCommand(["console-link", "--config", file, ...args], {}, data);

  test("is printed beside a running server, and its ticket opens the database", async () => {
    const file = configured({});
    const server = new ServerProcess(["serve", "--config", file], { PORT: "0" }, data);
    try {
      const url = await server.url();
      const { port } = new URL(url);
      const printed = await runCommand(["console-link", "--config", file, "--alias", "second"], { PORT: port }, data);
      expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining("5 minutes") });
      const [, ticket = ""] = /#ticket=(.+)\n$/.exec(printed.stdout) ?? [];
      expect(printed.stdout).toBe(`http://127.0.0.1:${port}/second/console/#ticket=${ticket}\n`);
      const stranger = new SallyportAdmin({ baseUrl: url, alias: "second", appKey: "" });
      const { appKey } = await stranger.console.tradeTicket(ticket);
      const admin = new SallyportAdmin({ baseUrl: url, alias: "second", appKey });
      expect(await admin.logIn({ user: "admin", password: "admin" })).toMatchObject({ databaseName: "second" });
    } finally {
      await server.kill();
    }
  }, 120_000);

  test("creates the first administrator of a database without users, which the log names", async () => {
    const file = configured({ databases: [{ alias: "new", storage: storage("without_users") }] });
    const server = new ServerProcess(["serve", "--config", file], { PORT: "0" }, data);
    try {
      const url = await server.url();
      const { port } = new URL(url);
      const command = "console-link --set-up --alias new";
      await server.logged(`Database has no users. For the first administrator, run "sallyport-server ${command}".`);
      const run = () => runCommand([...command.split(" "), "--config", file], { PORT: port }, data);
      const printed = await run();
      expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining("an hour") });
      const [, ticket = ""] = /#set-up=(.+)\n$/.exec(printed.stdout) ?? [];
      expect(printed.stdout).toBe(`http://127.0.0.1:${port}/new/console/#set-up=${ticket}\n`);
      const stranger = new SallyportAdmin({ baseUrl: url, alias: "new", appKey: "" });
      await stranger.console.setUp({ ticket, name: "ada", password: "a word of my own" });
      expect(await run()).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("has users") });
    } finally {
      await server.kill();
    }
  }, 120_000);

  test.each([
    [
      "the address of the server",
      { server: { publicUrl: "https://api.example/base/" } },
      "https://api.example/base/console/",
    ],
    ["the listener of the console", { console: { listen: "[::]:9443" } }, "http://[::1]:9443/console/"],
  ])("has %s", async (_what, content, start) => {
    const { stdout } = await link(configured(content));
    expect(stdout).toMatch(/#ticket=[\w-]{22}\n$/);
    expect(stdout.split("#", 1)).toEqual([start]);
  });

  test.each([
    ["the console is turned off", [], { console: { enabled: false } }, "turned off"],
    ["a set-up would use plain HTTP", ["--set-up"], { server: { publicUrl: "http://api.example" } }, "TLS or loopback"],
    ["only the server knows its port", [], { server: { port: 0 } }, "port is 0"],
  ])("is refused if %s", async (_what, options, content, reason) => {
    expect(await link(configured(content), ...options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason),
    });
  });
});
