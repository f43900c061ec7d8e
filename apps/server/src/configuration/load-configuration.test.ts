import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { embedded, masterKey, memory, messageOf } from "../../test/configuration-file.ts";
import { didYouMean } from "@sallyport/client/terminal";
import { macroThreads } from "../macros/macro-folders.ts";
import { type Configuration, processorsPerWorker } from "./configuration.ts";
import { loadConfiguration } from "./load-configuration.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-configuration-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("reads", () => {
  test("the environment over the file", () => {
    const content = { server: { port: 1, host: "127.0.0.2" }, databases: [memory] };
    const environment = {
      PORT: "2",
      TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      DEBUG_MESSAGES: "TRUE",
      SESSION_IDLE_TIMEOUT: "90s",
      LOG_LEVEL: "",
    };
    const { server, debugMessages, sessions, log, databases } = loadConfiguration({ content, environment });
    expect(server).toMatchObject({ port: 2, host: "127.0.0.2", trustedProxies: ["10.0.0.0/8", "::1"] });
    expect({ debugMessages, idle: sessions.idleTimeout, level: log.level }).toEqual({
      debugMessages: true,
      idle: 90_000,
      level: "info",
    });
    expect(databases[0]?.sessions.idleTimeout).toBe(90_000);
  });

  test("a secret from a file, without the line break", () => {
    const file = join(folder, "url");
    writeFileSync(file, "postgres://u:p@h/d\n");
    const fromEnvironment = loadConfiguration({ environment: { DATABASE_URL_FILE: file, NODE_ENV: "production" } });
    const fromFile = loadConfiguration({ content: { databases: [{ storage: { urlFile: file } }] }, environment: {} });
    for (const { databases } of [fromEnvironment, fromFile]) {
      expect(databases).toMatchObject([
        { alias: "", storage: { engine: "postgres", url: "postgres://u:p@h/d", schema: "sallyport" } },
      ]);
    }
  });

  test("the replicas of the common connection string, unless a database has its own", () => {
    const environment = { DATABASE_URL: "postgres://h/d", DATABASE_READ_URLS: "postgres://r/d, postgres://s/d" };
    const storages = [
      {},
      { schema: "own" },
      { url: "postgres://x/d" },
      { url: "postgres://y/d", readUrls: ["postgres://z/d"] },
    ];
    const databases = storages.map((storage, index) => ({ alias: `a${index}`, storage }));
    const common = ["postgres://r/d", "postgres://s/d"];
    expect(loadConfiguration({ content: { databases }, environment }).databases).toMatchObject(
      [common, common, [], ["postgres://z/d"]].map((readUrls) => ({ storage: { readUrls } })),
    );
  });

  const replica = "postgres://u:S3cret@r/d";
  test.each<[string, object, object, RegExp]>([
    [
      "without a primary",
      { engine: "memory" },
      { DATABASE_READ_URLS: replica },
      /DATABASE_URL\): is required with databaseReadUrls/,
    ],
    [
      "of a common MariaDB",
      {},
      { DATABASE_URL: "mariadb://h/d", DATABASE_READ_URLS: replica },
      /DATABASE_READ_URLS\): does not apply to the engine "mariadb": only Postgres has replicas/,
    ],
    [
      "of MariaDB",
      { url: "mariadb://h/d", readUrls: [replica] },
      {},
      /readUrls: does not apply to the engine "mariadb"/,
    ],
    [
      "of the embedded engine",
      { engine: "embedded", readUrls: [replica] },
      {},
      /readUrls: does not apply to the engine/,
    ],
    ["in memory", { engine: "memory", readUrls: [replica] }, {}, /readUrls: does not apply to the engine "memory"/],
    [
      "with two hosts",
      { url: "postgres://h/d", readUrls: ["postgres://r,s/d"] },
      {},
      /readUrls: must list connection strings/,
    ],
    [
      "on MariaDB",
      { url: "postgres://h/d", readUrls: ["mariadb://r/d"] },
      {},
      /readUrls: must list connection strings/,
    ],
  ])("no replicas %s", (_, storage, environment, expected) => {
    const content = { databases: [{ storage }] };
    const loading = () => loadConfiguration({ content, environment: environment as Record<string, string> });
    expect(loading).toThrow(expected);
    expect(loading).not.toThrow(/S3cret/);
  });

  test("the same replicas for databases that share connections", () => {
    const [one, other] = [{ url: "postgres://h/d", readUrls: [replica] }, { url: "postgres://h/d" }];
    const content = { databases: [{ storage: one }, { alias: "b", storage: other }] };
    expect(() => loadConfiguration({ content, environment: {} })).toThrow(
      /databases\[1\]\.storage\.readUrls: must be the same as in databases\[0\]/,
    );
  });

  test("paths relative to the file", () => {
    const file = join(folder, "paths.json");
    writeFileSync(
      file,
      JSON.stringify({
        dataDir: "data",
        databases: [{ storage: { engine: "embedded" } }, { alias: "b", ...embedded("other") }],
      }),
    );
    const { databases } = loadConfiguration({ file, environment: {} });
    expect(databases.map(({ storage }) => storage)).toMatchObject([
      { dataDir: join(folder, "data") },
      { dataDir: join(folder, "other") },
    ]);
  });

  test("the engine from the connection string, and for MariaDB the database", () => {
    const content = { databases: ["", "b-c"].map((alias) => ({ alias, storage: {} })) };
    const storages = (url: string) => loadConfiguration({ content, environment: { DATABASE_URL: url } }).databases;
    const postgresLike = { migrateOnStart: false, storage: { engine: "postgres" } };
    expect(storages("postgres://h/d")).toMatchObject([postgresLike, postgresLike]);
    const on = (schema: string) => ({ migrateOnStart: false, storage: { engine: "mariadb", schema } });
    expect(storages("mariadb://u@h/shop")).toMatchObject([on("shop"), on("shop_b_c")]);
    expect(storages("mysql://u@h")).toMatchObject([on("sallyport"), on("sallyport_b_c")]);
  });

  test("a module path relative to the file, and a package name unchanged", () => {
    const file = join(folder, "modules.json");
    const databases = ["./adapter.js", "@acme/adapter"].map((module, index) => ({
      alias: `a${index}`,
      storage: { engine: "module", module },
    }));
    writeFileSync(file, JSON.stringify({ databases }));
    expect(loadConfiguration({ file, environment: {} }).databases.map(({ storage }) => storage)).toEqual([
      { engine: "module", module: join(folder, "adapter.js"), options: {} },
      { engine: "module", module: "@acme/adapter", options: {} },
    ]);
  });

  test("a database's own settings over common ones", () => {
    const content = {
      sessions: { limit: 7 },
      throttle: { user: { maxFailures: 3 } },
      databases: [
        {
          ...memory,
          clientHash: "none",
          sessions: { perUserLimit: 2 },
          locks: { perSession: 5 },
          objects: { recycleBinPerUser: 7 },
          throttle: { user: { maxDelay: "2s" } },
          audit: { retention: "0s" },
          explanations: { retention: "1d" },
          sync: { tombstones: "30d" },
        },
        { ...memory, alias: "other" },
      ],
    };
    const [database, other] = loadConfiguration({ content, environment: {} }).databases;
    expect(database).toMatchObject({
      clientHash: "none",
      sessions: { limit: 7, perUserLimit: 2, perDevice: 5, idleTimeout: 1_800_000, absoluteLifetime: 43_200_000 },
      throttle: { user: { maxFailures: 3, maxDelay: 2_000 }, ip: { maxFailures: 100 } },
      locks: { perSession: 5 },
      objects: { recycleBinPerUser: 7 },
      audit: { retention: 0 },
      explanations: { retention: 86_400_000 },
      sync: { tombstones: 30 * 86_400_000 },
    });
    expect(other?.locks).toEqual({ perSession: 1_000 });
    expect(other?.objects).toEqual({ recycleBinPerUser: 10_000 });
    expect(other?.audit).toEqual({ retention: 400 * 86_400_000 });
    expect(other?.explanations).toEqual({ retention: 7 * 86_400_000 });
    expect(other?.sync).toEqual({ tombstones: 90 * 86_400_000 });
  });

  test("a database's own macro folder, the common one, or none", () => {
    const common = join(folder, "common");
    const own = join(folder, "own");
    for (const each of [common, own]) mkdirSync(each);
    const macros = (content: object) => {
      const { databases, macros: limits } = loadConfiguration({
        content: { databases: [memory, { alias: "second", macros: { directory: own }, ...memory }], ...content },
        environment: {},
      });
      return [databases.map(({ macros: { directory } }) => directory), limits.watch];
    };
    expect(macros({ macros: { directory: common, watch: false } })).toEqual([[common, own], false]);
    expect(macros({})).toEqual([[null, own], true]);
    const { macros: inProduction } = loadConfiguration({
      content: { databases: [memory] },
      environment: { NODE_ENV: "production" },
    });
    expect(inProduction).toMatchObject({ watch: false, timeout: 5_000, cpuTime: 1_000, memory: 16 });
  });

  test("a database without storage as not set up", () => {
    const { databases, warnings } = loadConfiguration({
      content: { databases: [{ alias: "later" }] },
      environment: {},
    });
    expect(databases).toMatchObject([{ alias: "later", name: "later", storage: null }]);
    expect(warnings).toContainEqual(expect.stringContaining('"later" has no storage'));
  });

  test("as many workers as processors, but one where several cannot serve", () => {
    const url = "postgres://h/d";
    const workers = (content: object, environment: Record<string, string> = {}) =>
      loadConfiguration({ content: { databases: [{ storage: { url } }], ...content }, environment }).server.workers;
    expect(workers({})).toBe(1);
    expect(workers({ server: { workers: 3 } })).toBe(3);
    expect(workers({ server: { workers: 3 } }, { WORKERS: "auto" })).toBe(availableParallelism());
    expect(workers({ databases: [memory] }, { WORKERS: "auto" })).toBe(1);
    expect(loadConfiguration({ environment: { WORKERS: "auto", DATABASE_URL: url } }).server.workers).toBe(1);
  });

  test("the share of a worker in the processors into defaults", () => {
    const each = (workers: number) => ({ server: { workers }, macros: {} }) as Configuration;
    expect(processorsPerWorker(each(1))).toBe(availableParallelism());
    expect(processorsPerWorker(each(4 * availableParallelism()))).toBe(1);
    expect(macroThreads(each(256))).toBe(2);
    expect(macroThreads({ ...each(256), macros: { threads: 7 } } as Configuration)).toBe(7);
  });

  test("the configuration into a frozen object", () => {
    const configuration = loadConfiguration({ content: { databases: [memory] }, environment: {} });
    expect(() => Object.assign(configuration.server.timeouts, { drain: 1 })).toThrow(TypeError);
    expect(() => Object.assign(configuration.databases[0] as object, { alias: "x" })).toThrow(TypeError);
  });
});

test.each([
  [{}, true],
  [{ NODE_ENV: "development" }, true],
  [{ DEBUG_MESSAGES: "false" }, false],
])("debug messages are on in the demo unless configured: %j", (environment, debugMessages) => {
  expect(loadConfiguration({ environment: { DATA_DIR: folder, ...environment } })).toMatchObject({
    demo: true,
    debugMessages,
  });
});

test.each([
  [{}, false],
  [{ NODE_ENV: "test" }, false],
  [{ NODE_ENV: "production" }, false],
  [{ NODE_ENV: "development" }, true],
  [{ NODE_ENV: "development", DEBUG_MESSAGES: "false" }, false],
])("debug messages are on in development only, with any listening address: %j", (environment, debugMessages) => {
  expect(loadConfiguration({ content: { databases: [memory] }, environment })).toMatchObject({
    demo: false,
    debugMessages,
  });
});

describe("without a configuration", () => {
  test("the demo is embedded, with two databases in one directory", () => {
    const { demo, databases } = loadConfiguration({ environment: { DATA_DIR: folder, PORT: "0" } });
    expect(demo).toBe(true);
    expect(databases).toMatchObject([
      { alias: "", name: "demo", migrateOnStart: true, storage: { engine: "embedded", dataDir: folder } },
      { alias: "second", name: "second", migrateOnStart: true, storage: { engine: "embedded", dataDir: folder } },
    ]);
  });

  test("the demo uses a configured Postgres", () => {
    const { demo, databases } = loadConfiguration({ environment: { DATABASE_URL: "postgres://h/d" } });
    expect(demo).toBe(true);
    expect(databases).toMatchObject([
      { alias: "", migrateOnStart: true, storage: { engine: "postgres", schema: "sallyport_demo" } },
      { alias: "second", migrateOnStart: true, storage: { engine: "postgres", schema: "sallyport_demo_second" } },
    ]);
  });

  test.each([
    [{}, true],
    [{ NODE_ENV: "development", HOST: "::" }, true],
    [{ NODE_ENV: "production" }, false],
    [{ NODE_ENV: "production", DOCS_ENABLED: "true" }, true],
    [{ DOCS_ENABLED: "false" }, false],
  ])("the page at /docs exists unless in production or disabled: %p", (environment, enabled) => {
    expect(loadConfiguration({ content: { databases: [{}] }, environment }).docs).toEqual({ enabled });
  });

  test.each([{ NODE_ENV: "production" }, { HOST: "::" }])(
    "a configured Postgres is one database: %p",
    (environment) => {
      const { demo, databases } = loadConfiguration({
        environment: { DATABASE_URL: "postgres://h/d", ...environment },
      });
      expect(demo).toBe(false);
      expect(databases).toMatchObject([
        { alias: "", name: "sallyport", migrateOnStart: false, storage: { engine: "postgres", schema: "sallyport" } },
      ]);
    },
  );
});

test("provider names are read in any case, and no public address is required if Apple has its own", () => {
  const read = (names: readonly string[], server: object) => {
    const oAuthProviders = names.map((name) => ({ name }));
    return loadConfiguration({
      content: { databases: [memory], encryption: { masterKey }, oAuthProviders, server },
      environment: {},
    }).oAuthProviders;
  };
  expect(read(["AppleID"], {})).toEqual(["apple"]);
  expect(read(["GOOGLE", "windowslive", "facebook"], { publicUrl: "https://service.example" })).toEqual([
    "google",
    "microsoft",
    "facebook",
  ]);
});

test.each(["prod", "Production", "staging", " "])("NODE_ENV=%j is refused", (value) => {
  expect(messageOf({}, { NODE_ENV: value })).toMatch(
    /^NODE_ENV: must be production, development, test or unset, not ".*"\./,
  );
});

test("the closest value of NODE_ENV is suggested", () => {
  expect(messageOf({}, { NODE_ENV: "productoin" })).toMatch(/Did you mean production\?$/);
});

test.each([
  ["prot", "port"],
  ["Host", "host"],
  ["basepath", "basePath"],
  ["timeout", "timeouts"],
  ["truestdProxies", "trustedProxies"],
  ["xyz", undefined],
  ["", undefined],
])("the suggestion for %p is %p", (name, meant) => {
  expect(didYouMean(name, ["host", "port", "basePath", "timeouts", "trustedProxies"])).toBe(meant);
});
