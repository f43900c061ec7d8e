import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { loadConfiguration } from "./load-configuration.ts";

const memory = { storage: { engine: "memory" } };
const postgres = (url: string, more: object = {}) => ({ storage: { engine: "postgres", url, ...more } });
const embedded = (dataDir: string, more: object = {}) => ({ storage: { engine: "embedded", dataDir, ...more } });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-configuration-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function messageOf(content: object, environment: Record<string, string> = {}): string {
  try {
    loadConfiguration({ content: { databases: [memory], ...content }, environment });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return "accepted";
}

const secret = "S3cretValue";
const masterKey = Buffer.alloc(32, 1).toString("base64");

describe("refuses", () => {
  const faults: readonly (readonly [string, object, RegExp, Record<string, string>?])[] = [
    ["an unknown member", { server: { prot: 1 } }, /^ {2}- server\.prot: is unknown; did you mean "port"\?$/m],
    [
      "an unknown member like no other",
      { server: { zzzzzzz: 1 } },
      /server\.zzzzzzz: is unknown; known are host, port,/,
    ],
    ["an unknown section", { databasez: [] }, /databasez: is unknown; did you mean "databases"\?/],
    [
      "an unknown member of a database",
      { databases: [{ alais: "a", ...memory }] },
      /databases\[0\]\.alais: is unknown; did you mean "alias"\?/,
    ],
    ["a member with the name of a prototype", JSON.parse('{"constructor": 1}'), /constructor: is unknown/],
    ["a prototype", JSON.parse('{"__proto__": {"port": 1}}'), /^ {2}- __proto__: is unknown/m],
    [
      "a prototype of a section",
      JSON.parse('{"server": {"__proto__": {"port": 1}}}'),
      /^ {2}- server\.__proto__: is unknown/m,
    ],
    ["a number for a text", { server: { host: 5 } }, /server\.host: must be a host name or an address/],
    ["a text for a number", { server: { port: "80" } }, /server\.port: must be a whole number from 0 to 65535/],
    ["a fraction", { server: { port: 80.5 } }, /server\.port: must be a whole number/],
    ["a number out of range", { server: { port: 65_536 } }, /server\.port: must be a whole number from 0 to 65535/],
    ["a text for a flag", { debugMessages: "yes" }, /debugMessages: must be true or false/],
    ["a list for a section", { server: [] }, /server: must be an object/],
    ["null for a section", { sessions: null }, /sessions: must be an object/],
    ["a section for a list", { databases: {} }, /databases: must be a list/],
    ["a database that is none", { databases: ["a"] }, /databases\[0\]: must be an object/],
    ["no database", { databases: [] }, /databases: is required/],
    ["an unknown word", { log: { level: "loud" } }, /log\.level: must be "fatal", .* or "silent"/],
    [
      "a duration without a unit",
      { sessions: { idleTimeout: "30" } },
      /sessions\.idleTimeout: must be a duration from "1s"/,
    ],
    ["a duration as a number", { sessions: { idleTimeout: 30 } }, /sessions\.idleTimeout: must be a duration/],
    [
      "a duration that is too long",
      { server: { timeouts: { drain: "2h" } } },
      /server\.timeouts\.drain: must be a duration from "0s" to "10m"/,
    ],
    [
      "a folder of macros that is not there",
      { macros: { directory: "/nonexistent/macros" } },
      /^ {2}- macros\.directory: names a folder that does not exist$/m,
    ],
    [
      "a file for a folder of macros",
      { databases: [{ macros: { directory: import.meta.filename }, ...memory }] },
      /databases\[0\]\.macros\.directory: names something that is no folder/,
    ],
    [
      "a folder of macros from a variable that is not there",
      {},
      /macros\.directory \(MACROS_DIR\): names a folder that does not exist/,
      { MACROS_DIR: "/nonexistent" },
    ],
    [
      "answers that one object would not fit into",
      { limits: { answerBytes: 1_048_576 } },
      /limits\.answerBytes: must be a whole number from 2097152 to 1073741824/,
    ],
    ["a bad host", { server: { host: "a b" } }, /server\.host: must be a host name/],
    ["a bad address", { server: { host: "300.1.1.1" } }, /server\.host: must be a host name/],
    ["a bad base path", { server: { basePath: "/api/" } }, /server\.basePath: must be empty, or a path/],
    [
      "a bad public address",
      { server: { publicUrl: "ftp://a" } },
      /server\.publicUrl: must be an http or https address/,
    ],
    [
      "an unknown provider",
      { oAuthProviders: [{ name: "github" }] },
      /oAuthProviders\[0\]\.name: must be google, facebook, microsoft or apple$/m,
    ],
    [
      "a provider without a name",
      { oAuthProviders: [{}] },
      /oAuthProviders\[0\]\.name: is required: google, facebook, microsoft or apple$/m,
    ],
    [
      "a provider twice",
      { oAuthProviders: [{ name: "microsoft" }, { name: "WindowsLive" }] },
      /oAuthProviders\[1\]\.name: is the same provider as oAuthProviders\[0\]\.name/,
    ],
    [
      "providers without a master key",
      { oAuthProviders: [{ name: "google" }] },
      /encryption\.masterKey \(MASTER_KEY\): is required with oAuthProviders/,
    ],
    [
      "providers without a public address",
      { oAuthProviders: [{ name: "Google" }], encryption: { masterKey } },
      /server\.publicUrl \(PUBLIC_URL\): is required with oAuthProviders/,
    ],
    [
      "more log-ins under way of one network than in all",
      { providers: { underWay: 5, underWayPerNetwork: 6 } },
      /providers\.underWayPerNetwork.*: must not be greater than underWay/,
    ],
    [
      "an imitation of providers elsewhere",
      { providers: { imitation: "http://192.0.2.1:9000" } },
      /providers\.imitation: must be an http address on this machine/,
    ],
    [
      "a bad network",
      { server: { trustedProxies: ["10.0.0.0/8", "10.0.0.0/33"] } },
      /server\.trustedProxies\[1\]: must be an address or a network/,
    ],
    [
      "a certificate without a key",
      { server: { tls: { certificateFile: "package.json" } } },
      /^ {2}- server\.tls\.keyFile \(TLS_KEY_FILE\): is required/m,
    ],
    [
      "a key without a certificate",
      { server: { tls: { keyFile: "package.json" } } },
      /^ {2}- server\.tls\.certificateFile \(TLS_CERTIFICATE_FILE\): is required/m,
    ],
    [
      "a certificate that is not there",
      { server: { tls: { certificateFile: "/none", keyFile: "/none" } } },
      /server\.tls\.keyFile: names a file that does not exist/,
    ],
    [
      "more bodies of one network than of all",
      { server: { maxAwaitedBodies: { perNetwork: 9, inAll: 8 } } },
      /server\.maxAwaitedBodies\.perNetwork: must not be greater than inAll/,
    ],
    [
      "more time for headers than for the request",
      { server: { timeouts: { headers: "40s" } } },
      /server\.timeouts\.headers: must not be longer than server\.timeouts\.request/,
    ],
    [
      "an idle time-out beyond the lifetime",
      { sessions: { idleTimeout: "13h" } },
      /sessions\.idleTimeout: must not be longer than absoluteLifetime/,
    ],
    [
      "the same in one database",
      { databases: [{ ...memory, sessions: { absoluteLifetime: "5m" } }] },
      /databases\[0\]\.sessions\.idleTimeout: must not be longer/,
    ],
    [
      "more sessions per user than in all",
      { sessions: { limit: 5, perUserLimit: 6 } },
      /sessions\.perUserLimit: must not be greater than limit/,
    ],
    [
      "a first delay beyond the longest",
      { throttle: { user: { firstDelay: "20m" } } },
      /throttle\.user\.firstDelay: must not be longer than longestDelay/,
    ],
    [
      "a delay beyond the memory",
      { throttle: { address: { longestDelay: "2h" } } },
      /throttle\.address\.longestDelay: must not be longer than forgetAfter/,
    ],
    [
      "the same in one database",
      { databases: [{ ...memory, throttle: { user: { forgetAfter: "1m" } } }] },
      /databases\[0\]\.throttle\.user\.longestDelay: must not be/,
    ],
    [
      "a reserved alias",
      { databases: [{ alias: "admin", ...memory }] },
      /databases\[0\]\.alias: must be empty, or a lowercase letter/,
    ],
    ["a malformed alias", { databases: [{ alias: "A", ...memory }] }, /databases\[0\]\.alias: must be/],
    [
      "an alias twice",
      {
        databases: [
          { alias: "a", ...memory },
          { alias: "a", ...memory },
        ],
      },
      /databases\[1\]\.alias: is the same as databases\[0\]\.alias/,
    ],
    ["two databases with the empty alias", { databases: [memory, memory] }, /databases\[1\]\.alias: is the same as/],
    [
      "an unknown time zone",
      { databases: [{ timeZone: "Mars/Olympus", ...memory }] },
      /databases\[0\]\.timeZone: must be the name of a time zone/,
    ],
    [
      "an unknown engine",
      { databases: [{ storage: { engine: "oracle" } }] },
      /databases\[0\]\.storage\.engine: must be "postgres", "mariadb", "embedded", "memory" or "module"$/m,
    ],
    [
      "a module without a name",
      { databases: [{ storage: { engine: "module" } }] },
      /databases\[0\]\.storage\.module: is required by the engine "module"/,
    ],
    [
      "a module for another engine",
      { databases: [{ storage: { engine: "memory", module: "./a.js" } }] },
      /databases\[0\]\.storage\.module: has no meaning for the engine "memory"/,
    ],
    [
      "options that are none",
      { databases: [{ storage: { engine: "module", module: "a", options: [] } }] },
      /databases\[0\]\.storage\.options: must be an object/,
    ],
    [
      "a module twice with the same options",
      {
        databases: ["", "b"].map((alias) => ({
          alias,
          storage: { engine: "module", module: "a", options: { file: "f" } },
        })),
      },
      /databases\[1\]\.storage\.options: are those of databases\[0\]/,
    ],
    ["a Postgres without an address", { databases: [{ storage: {} }] }, /databases\[0\]\.storage\.url: is required/],
    [
      "an address in memory",
      { databases: [{ storage: { engine: "memory", url: "postgres://h/d" } }] },
      /databases\[0\]\.storage\.url: has no meaning for the engine "memory"/,
    ],
    [
      "a directory of a Postgres",
      { databases: [postgres("postgres://h/d", { dataDir: "x" })] },
      /databases\[0\]\.storage\.dataDir: has no meaning/,
    ],
    [
      "a directory of whatever server",
      { databases: [{ storage: { url: "mariadb://h/d", dataDir: "x" } }] },
      /databases\[0\]\.storage\.dataDir: has no meaning for a database server/,
    ],
    [
      "a Postgres at a MariaDB",
      { databases: [postgres("mariadb://h/d")] },
      /databases\[0\]\.storage\.engine: contradicts the connection string, which leads to the engine "mariadb"/,
    ],
    [
      "a MariaDB at a Postgres",
      { databaseUrl: "postgres://h/d", databases: [{ storage: { engine: "mariadb" } }] },
      /databases\[0\]\.storage\.engine: contradicts/,
    ],
    [
      "a database twice on one MariaDB",
      {
        databases: [
          { storage: { url: "mariadb://a@h/d" } },
          { alias: "b", storage: { url: "mysql://b@h:3306/", schema: "d" } },
        ],
      },
      /databases\[1\]\.storage\.schema: is the schema of databases\[0\]/,
    ],
    [
      "a name that cannot be one of ours",
      { databases: [{ storage: { url: "mariadb://h/Big" } }] },
      /databases\[0\]\.storage\.schema: is required: "Big"/,
    ],
    [
      "a pool of an embedded engine",
      { databases: [embedded("x", { pool: {} })] },
      /databases\[0\]\.storage\.pool: has no meaning/,
    ],
    [
      "two addresses",
      { databases: [postgres("postgres://h/d", { urlFile: "x" })] },
      /databases\[0\]\.storage\.urlFile: contradicts url/,
    ],
    [
      "a file of an address that is not there",
      { databases: [{ storage: { urlFile: "/none" } }] },
      /databases\[0\]\.storage\.urlFile: names a file that does not exist/,
    ],
    [
      "a malformed schema",
      { databases: [embedded("x", { schema: "pg_a" })] },
      /databases\[0\]\.storage\.schema: must be a lowercase letter/,
    ],
    [
      "a schema twice on one Postgres",
      {
        databases: [
          postgres("postgres://a:b@h/d", { schema: "s" }),
          { alias: "b", ...postgres("postgresql://c@h:5432/d", { schema: "s" }) },
        ],
      },
      /databases\[1\]\.storage\.schema: is the schema of databases\[0\]/,
    ],
    [
      "a schema twice in one directory",
      {
        databases: [
          { alias: "a-b", ...embedded("x") },
          { alias: "a_b", ...embedded("./x") },
        ],
      },
      /databases\[1\]\.storage\.schema: is the schema of databases\[0\], too \("sallyport_a_b"\)/,
    ],
    [
      "an alias too long for a schema",
      { databases: [{ alias: "a".repeat(60), ...embedded("x") }] },
      /databases\[0\]\.storage\.schema: is required/,
    ],
    [
      "pools that differ",
      { databases: [postgres("postgres://h/d"), { alias: "b", ...postgres("postgres://h/d", { pool: { max: 3 } }) }] },
      /databases\[1\]\.storage\.pool: and statementTimeout must be those of databases\[0\]/,
    ],
    [
      "time-outs that differ in one directory",
      { databases: [embedded("x"), { alias: "b", ...embedded("x", { statementTimeout: "6s" }) }] },
      /databases\[1\]\.storage\.statementTimeout: must be that of databases\[0\], which is in the same directory/,
    ],
    ["a bad variable", {}, /^ {2}- server\.port \(PORT\): must be a whole number from 0 to 65535$/m, { PORT: "http" }],
    [
      "a bad part of a variable",
      {},
      /server\.trustedProxies\[1\] \(TRUSTED_PROXIES\): must be/,
      { TRUSTED_PROXIES: "::1, x" },
    ],
    [
      "a bad flag in a variable",
      {},
      /debugMessages \(DEBUG_MESSAGES\): must be true or false/,
      { DEBUG_MESSAGES: "maybe" },
    ],
    [
      "a secret file that is not there",
      {},
      /databaseUrl \(DATABASE_URL_FILE\): names a file that does not exist/,
      { DATABASE_URL_FILE: "/none" },
    ],
    [
      "a secret and its file",
      {},
      /databaseUrl \(DATABASE_URL_FILE\): contradicts DATABASE_URL/,
      { DATABASE_URL: "postgres://h/d", DATABASE_URL_FILE: "/none" },
    ],
  ];

  const rows = faults.map(
    ([title, content, expected, environment]) => [title, content, expected, environment ?? {}] as const,
  );
  test.each(rows)("%s", (_title, content, expected, environment) => {
    expect(messageOf(content, environment)).toMatch(expected);
  });

  test("all faults at once, each by name", () => {
    const message = messageOf(
      {
        server: { prot: 1, timeouts: { headers: "1m" } },
        sessions: { idleTimeout: "1d" },
        databases: [
          { alias: "v1", ...memory },
          { alias: "b", timeZone: 1 },
        ],
      },
      { PORT: "x" },
    );
    for (const path of [
      "server.port",
      "server.prot",
      "server.timeouts.headers",
      "sessions.idleTimeout",
      "databases[0].alias",
      "databases[1].timeZone",
    ]) {
      expect(message).toContain(`  - ${path}`);
    }
    expect(message.split("\n")).toHaveLength(7);
  });

  test("nothing on account of a value that is refused itself", () => {
    expect(messageOf({ server: { timeouts: { headers: "x", request: "1s" } } })).not.toContain("must not be longer");
    expect(messageOf({ databases: [{ alias: 1, ...memory }, memory] })).not.toContain("is the same");
  });

  test.each([
    ["in the file", { databases: [{ storage: { engine: "postgres", url: `oracle://u:${secret}@h/d` } }] }, {}],
    [
      "in a fault next to it",
      { databases: [{ storage: { engine: "memory", url: `postgres://u:${secret}@h/d` } }] },
      {},
    ],
    ["in the environment", {}, { DATABASE_URL: `nonsense ${secret}` }],
    ["as a member that nobody knows", { passwords: { argon: secret } }, {}],
  ])("without repeating a secret %s", (_title, content, environment) => {
    const message = messageOf(content, environment);
    expect(message).not.toBe("accepted");
    expect(message).not.toContain(secret);
  });

  test.each([
    ["that is not there", undefined, /The configuration file .*file\.json does not exist\./],
    ["that is no JSON", `{"databaseUrl": "${secret}", }`, /is not valid JSON/],
    ["that holds no object", "[]", /must hold an object/],
  ])("a file %s", (_title, content, expected) => {
    const file = join(folder, "file.json");
    rmSync(file, { force: true });
    if (content !== undefined) writeFileSync(file, content);
    const load = () => loadConfiguration({ file, environment: {} });
    expect(load).toThrow(expected);
    expect(load).not.toThrow(secret);
  });

  test.each([
    ["in production", { NODE_ENV: "production" }, /NODE_ENV is production/],
    ["beyond loopback", { HOST: "0.0.0.0" }, /more than loopback/],
  ])("to start without a configuration %s, and says what to do", (_title, environment, why) => {
    const load = () => loadConfiguration({ environment });
    expect(load).toThrow(why);
    expect(load).toThrow(/DATABASE_URL/);
    expect(load).toThrow(/--config/);
  });
});

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

  test("takes the engine from the connection string, and of a MariaDB the database", () => {
    const content = { databases: ["", "b-c"].map((alias) => ({ alias, storage: {} })) };
    const storages = (url: string) => loadConfiguration({ content, environment: { DATABASE_URL: url } }).databases;
    const postgresLike = { migrateOnStart: false, storage: { engine: "postgres" } };
    expect(storages("postgres://h/d")).toMatchObject([postgresLike, postgresLike]);
    const on = (schema: string) => ({ migrateOnStart: false, storage: { engine: "mariadb", schema } });
    expect(storages("mariadb://u@h/shop")).toMatchObject([on("shop"), on("shop_b_c")]);
    expect(storages("mysql://u@h")).toMatchObject([on("sallyport"), on("sallyport_b_c")]);
  });

  test("a module relative to the file, but a package as it is", () => {
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

  test("what a database has of its own over what is common", () => {
    const content = {
      sessions: { limit: 7 },
      throttle: { user: { freeFailures: 3 } },
      databases: [
        {
          ...memory,
          clientHash: "none",
          sessions: { perUserLimit: 2 },
          locks: { perSession: 5 },
          objects: { recycledPerUser: 7 },
          throttle: { user: { firstDelay: "2s" } },
          audit: { retention: "0s" },
        },
        { ...memory, alias: "other" },
      ],
    };
    const [database, other] = loadConfiguration({ content, environment: {} }).databases;
    expect(database).toMatchObject({
      clientHash: "none",
      sessions: { limit: 7, perUserLimit: 2, perDevice: 5, idleTimeout: 1_800_000, absoluteLifetime: 43_200_000 },
      throttle: { user: { freeFailures: 3, firstDelay: 2_000 }, address: { freeFailures: 100, firstDelay: 1_000 } },
      locks: { perSession: 5 },
      objects: { recycledPerUser: 7 },
      audit: { retention: 0 },
    });
    expect(other?.locks).toEqual({ perSession: 1_000 });
    expect(other?.objects).toEqual({ recycledPerUser: 10_000 });
    expect(other?.audit).toEqual({ retention: 400 * 86_400_000 });
  });

  test("the folder of macros that a database has of its own, the common one, or none", () => {
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
    expect(inProduction).toMatchObject({ watch: false, timeout: 5_000, cpu: 1_000, memory: 16 });
  });

  test("a database without storage as one that is not set up", () => {
    const { databases, warnings } = loadConfiguration({
      content: { databases: [{ alias: "later" }] },
      environment: {},
    });
    expect(databases).toMatchObject([{ alias: "later", name: "later", storage: null }]);
    expect(warnings).toContainEqual(expect.stringContaining('"later" has no storage'));
  });

  test("and freezes the result", () => {
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
])("debug messages are on in development, with any listening address: %j", (environment, debugMessages) => {
  expect(loadConfiguration({ content: { databases: [memory] }, environment })).toMatchObject({
    demo: false,
    debugMessages,
  });
});

test.each(["prod", "Production", "staging", " "])("refuses NODE_ENV=%j", (value) => {
  expect(messageOf({}, { NODE_ENV: value })).toMatch(
    /^NODE_ENV is ".*", and has to be production, development, test or unset\./,
  );
});

test("suggests the closest value of NODE_ENV", () => {
  expect(messageOf({}, { NODE_ENV: "productoin" })).toMatch(/Did you mean production\?$/);
});

describe("without a configuration", () => {
  test("the demo is embedded, two databases in one directory", () => {
    const { demo, databases } = loadConfiguration({ environment: { DATA_DIR: folder, PORT: "0" } });
    expect(demo).toBe(true);
    expect(databases).toMatchObject([
      { alias: "", name: "demo", migrateOnStart: true, storage: { engine: "embedded", dataDir: folder } },
      { alias: "second", name: "second", migrateOnStart: true, storage: { engine: "embedded", dataDir: folder } },
    ]);
  });

  test("the demo goes to a Postgres that is named", () => {
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
  ])("the page at /docs is there unless it is production or switched off: %p", (environment, enabled) => {
    expect(loadConfiguration({ content: { databases: [{}] }, environment }).docs).toEqual({ enabled });
  });

  test.each([{ NODE_ENV: "production" }, { HOST: "::" }])(
    "a Postgres that is named is one database: %p",
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

describe("warns", () => {
  const keyFile = resolve(import.meta.dirname, "../../../../packages/crypto/test/keys/rsa-2048.pem");
  const warnings = (content: object, environment: Record<string, string> = {}) =>
    loadConfiguration({ content: { databases: [embedded("x")], ...content }, environment }).warnings;

  test.each([
    ["of credentials that will be refused", { server: { host: "0.0.0.0" } }, {}, /credentials are refused/],
    [
      "of credentials in clear text",
      { server: { host: "0.0.0.0", allowInsecureTransport: true } },
      {},
      /readable for everybody/,
    ],
    ["of a missing master key", {}, {}, /answer 705/],
    [
      "of an RSA key for several databases",
      { encryption: { masterKey, rsaKeyFile: keyFile }, databases: [embedded("x"), { alias: "y", ...embedded("y") }] },
      {},
      /all databases share/,
    ],
    ["of plain traffic after a secure log-in", { compatibility: { plainAfterSecureLogin: true } }, {}, /not encrypted/],
    ["of memory", { databases: [memory] }, {}, /ends with the process/],
    ["of debug messages in production", { debugMessages: true }, { NODE_ENV: "production" }, /debugMessages/],
    [
      "of public metrics",
      { server: { host: "0.0.0.0", trustedProxies: ["10.0.0.1"] }, metrics: { access: "any" } },
      {},
      /metrics\.access/,
    ],
  ])("%s", (_title, content, environment, expected) => {
    expect(warnings(content, environment)).toContainEqual(expect.stringMatching(expected));
  });

  test("of no RSA key for one database", () => {
    expect(warnings({ encryption: { masterKey, rsaKeyFile: keyFile } })).toEqual([]);
  });

  test.each([{}, { server: { host: "0.0.0.0", trustedProxies: ["10.0.0.1"] } }, { server: { host: "::1" } }])(
    "of nothing in %p",
    (content) => {
      expect(warnings({ encryption: { masterKey }, ...content })).toEqual([]);
    },
  );
});

test("reads names of providers in any case, and asks for no public address where Apple brings its own", () => {
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
