import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { demoMacros } from "./demo.ts";
import { duration, durationText } from "./field-kinds.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { maskedConfiguration, maskedUrl } from "./masked-configuration.ts";
import { readModelFile } from "./model-file.ts";
import { configurationFields } from "./schema/configuration-schema.ts";

describe("configuration", () => {
  test("the demo warns that another macro folder replaces its own", () => {
    const warnings = (environment: Record<string, string>) =>
      loadConfiguration({ environment }).warnings.filter((each) => each.includes("MACROS_DIR"));
    expect(warnings({ MACROS_DIR: tmpdir() })).toEqual([
      expect.stringContaining("the sample macros of the demo are not loaded"),
    ]);
    expect([warnings({}), warnings({ MACROS_DIR: demoMacros() ?? "" })]).toEqual([[], []]);
  });

  const { schema } = duration("10ms", "2d");

  test.each([
    ["10ms", 10],
    ["1500ms", 1_500],
    ["15s", 15_000],
    ["30m", 1_800_000],
    ["12h", 43_200_000],
    ["2d", 172_800_000],
  ])("duration %s is %d ms", (text, milliseconds) => {
    expect(schema.parse(text)).toBe(milliseconds);
  });

  test.each(["", "5", "5 s", "5S", "-5s", "1.5s", "s", "9ms", "3d", "1h30m", "9999999999s", 5, null, undefined])(
    "duration %p is refused",
    (value) => {
      expect(schema.safeParse(value).success).toBe(false);
    },
  );

  test.each([
    [0, "0s"],
    [1, "1ms"],
    [90_000, "90s"],
    [3_600_000, "1h"],
    [86_400_000, "1d"],
  ])("%d ms is written as %s", (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });

  test("the printed configuration has the same meaning, except for secrets", () => {
    const content = {
      server: { port: 1 },
      sessions: { idleTimeout: "90s", absoluteLifetime: "36h" },
      databases: [
        { storage: { engine: "embedded", dataDir: "/x", statementTimeout: "5s" } },
        { alias: "b", storage: { engine: "memory" }, throttle: { user: { maxDelay: "1500ms" } } },
        { alias: "c" },
        { alias: "d", storage: { engine: "module", module: "a", options: { key: "S3cret" } } },
      ],
    };
    const configuration = loadConfiguration({ content, environment: {} });
    const printed = maskedConfiguration(configuration) as Record<string, unknown>;
    expect(printed).toMatchObject({ sessions: { idleTimeout: "90s", absoluteLifetime: "36h" } });
    expect(JSON.stringify(printed)).not.toContain("S3cret");
    const databases = (printed["databases"] as Record<string, Record<string, unknown>>[]).map(({ storage, ...rest }) =>
      storage?.["engine"] === "module"
        ? { ...rest, storage: { ...storage, options: { key: "S3cret" } } }
        : storage?.["engine"] === "memory"
          ? { ...rest, storage: { engine: "memory" } }
          : { ...rest, ...(storage === undefined ? {} : { storage }) },
    );
    expect(loadConfiguration({ content: { ...printed, databases }, environment: {} })).toEqual(configuration);
  });

  test("no secret is printed", () => {
    const environment = {
      DATABASE_URL: "postgres://user:S3cret@host:1234/name?password=S3cret",
      DATABASE_READ_URLS: "postgres://user:S3cret@one/name, postgres://user:S3cret@two/name",
    };
    const text = JSON.stringify(maskedConfiguration(loadConfiguration({ environment })));
    expect(text).not.toContain("S3cret");
    expect(text).toContain("postgres://user:***@host:1234/name");
    expect(text).toContain('"readUrls":["postgres://user:***@one/name","postgres://user:***@two/name"]');
    const s3 = { endpoint: "https://s3.example", bucket: "files", accessKeyId: "S3cret", secretAccessKey: "S3cret" };
    const content = { files: { store: "s3", s3 }, databases: [{ storage: { engine: "memory" } }] };
    const { files } = maskedConfiguration(loadConfiguration({ content, environment: {} })) as {
      readonly files: object;
    };
    expect(files).toMatchObject({ store: "s3", s3: { ...s3, accessKeyId: "***", secretAccessKey: "***" } });
  });

  test.each([
    ["postgres://u:p@h:1/d?options=y", "postgres://u:***@h:1/d"],
    ["postgres://h/d", "postgres://h/d"],
    ["postgres://u:p@h:1,[::1]/d?target_session_attrs=primary", "postgres://u:***@h:1,[::1]/d"],
    ["postgres://u:p@/d?host=/run", "postgres://u:***@%2Frun/d"],
    ["postgres://h/d?user=u&password=p&port=1", "postgres://u:***@h:1/d"],
    ["mysql://u:p%40q@h:3307/d", "mysql://u:***@h:3307/d"],
  ])("URL %s is shown as %s", (url, shown) => {
    expect(maskedUrl(url)).toBe(shown);
  });

  describe("model file", () => {
    let folder: string;
    beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "sallyport-"))));
    afterAll(() => rmSync(folder, { recursive: true }));

    function fileOf(text: string): string {
      const file = join(folder, "model.json");
      writeFileSync(file, text);
      return file;
    }

    test("gives a new database Employee and ContactPerson by default", async () => {
      const names = (await readModelFile()).map(({ name }) => name);
      expect(names).toEqual([
        "User",
        "UserGroup",
        "Image",
        "File",
        "xRestApiUserProvider",
        "Employee",
        "ContactPerson",
      ]);
      const other = await readModelFile(fileOf('{ "classes": [{ "name": "Note" }] }'));
      expect(other.at(-1)).toEqual({ name: "Note", base: null, attributes: [], rights: [] });
      expect(other.map(({ name }) => name)).not.toContain("Employee");
    });

    test("works as shown in the guide", async () => {
      const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/classes.md"), "utf8");
      const classes = await readModelFile(fileOf(/```jsonc\n(.*?)```/s.exec(guide)?.[1] ?? ""));
      expect(classes.map(({ name }) => name)).toEqual(expect.arrayContaining(["User", "Department"]));
    });

    test.each([
      ["is invalid JSON", "{", "it is not valid JSON: "],
      [
        "has an unknown member",
        '{ "classes": [{ "name": "Note", "attributs": [] }] }',
        "at /classes/0: Unrecognized key",
      ],
      ["has a class without a name", '{ "classes": [{}] }', "at /classes/0/name: "],
      [
        "has an unknown type",
        '{ "classes": [{ "name": "Note", "attributes": [{ "name": "Text", "type": "text" }] }] }',
        "at /classes/0/attributes/0/type: ",
      ],
      [
        "has a refused definition",
        '{ "classes": [{ "name": "Note", "base": "Nothing" }] }',
        "at /classes/0/base: There is no class with this name.",
      ],
    ])("refuses a file that %s and names the position", async (_what, text, reason) => {
      const file = fileOf(text);
      const error = await readModelFile(file).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as Error).message).toContain(`The model file ${file} cannot be used: ${reason}`);
    });

    test("refuses a missing file", async () => {
      await expect(readModelFile(join(folder, "nothing.json"))).rejects.toThrow(/nothing\.json cannot be used: ENOENT/);
    });
  });

  const fields = configurationFields();

  test("every field is described in one line", () => {
    expect(fields.length).toBeGreaterThan(50);
    for (const { doc, type } of fields) {
      expect(doc).toMatch(/^[^\n]+[.:]$/);
      expect(type).not.toBe("");
    }
  });

  test("every field outside lists of objects has a variable of its own", () => {
    const outside = fields.filter(({ path }) => !path.includes("[]."));
    expect(outside.filter(({ env }) => env === null)).toEqual([]);
    expect(new Set(outside.map(({ env }) => env)).size).toBe(outside.length);
  });

  test.each([
    { path: "server.host", env: "HOST", default: '"127.0.0.1"', secret: false },
    { path: "server.port", env: "PORT", default: "8080", secret: false },
    { path: "databaseUrl", env: "DATABASE_URL", default: null, secret: true },
    { path: "databaseReadUrls", env: "DATABASE_READ_URLS", default: null, secret: true },
    { path: "databases[].storage.readUrls", env: null, default: null, secret: true },
    { path: "databases[].storage.url", env: null, default: null, secret: true },
    { path: "sessions.idleTimeout", env: "SESSION_IDLE_TIMEOUT", default: '"30m"', secret: false },
  ])("the documentation describes $path", (expected) => {
    expect(fields).toContainEqual(expect.objectContaining(expected));
  });
});

describe("warnings", () => {
  const memory = { storage: { engine: "memory" } };

  test.each([
    [{ DATABASE_URI: "x" }, ["DATABASE_URI: unknown variable. Did you mean DATABASE_URL?"]],
    [{ SALLYPORT_MASTER_KEY: "x" }, ["SALLYPORT_MASTER_KEY: unknown variable. Did you mean MASTER_KEY?"]],
    [{ SALLYPORT_NOTHING_LIKE_IT: "x" }, ["SALLYPORT_NOTHING_LIKE_IT: unknown variable."]],
    [{ SALLYPORT_CONFIG: "", DATABASE_URI: "" }, []],
    ...[
      ["DATABSE_URL", "DATABASE_URL"],
      ["DATABASEURL", "DATABASE_URL"],
      ["MARIADBURL", "DATABASE_URL"],
      ["MARIADB_URL", "DATABASE_URL"],
      ["DATABASE_URL_FILES", "DATABASE_URL_FILE"],
      ["DATADIR", "DATA_DIR"],
      ["data_dir", "DATA_DIR"],
      ["PORTS", "PORT"],
      ["HOSTS", "HOST"],
      ["MACRO_DIR", "MACROS_DIR"],
      ["LOGLEVEL", "LOG_LEVEL"],
      ["MASTERKEY", "MASTER_KEY"],
      ["SMTP_PASS", "SMTP_PASSWORD"],
      ["SALLYPORT_DATADIR", "DATA_DIR"],
    ].map(([name, meant]) => [{ [name as string]: "x" }, [`${name}: unknown variable. Did you mean ${meant}?`]]),
  ])("warns of variables that resemble settings: %j", (environment, wanted) => {
    const { warnings } = loadConfiguration({
      content: { databases: [memory] },
      environment: environment as Record<string, string>,
    });
    expect(warnings.filter((each) => each.includes("unknown variable"))).toEqual(wanted);
    expect(warnings.join()).not.toMatch(/\bx\b/);
  });

  test("does not warn in a realistic environment", () => {
    const names = `
    PATH HOME HOSTNAME LOGNAME USER USERNAME SHELL SHLVL TERM TERM_PROGRAM COLORTERM LANG LANGUAGE LC_ALL LC_CTYPE TZ PWD OLDPWD _ EDITOR PAGER MAIL MAILCHECK
    TMPDIR TEMP TMP DISPLAY SSH_AUTH_SOCK SSH_CONNECTION SSH_CLIENT SSH_TTY XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS XDG_RUNTIME_DIR XDG_SESSION_ID XDG_SESSION_TYPE
    DBUS_SESSION_BUS_ADDRESS INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID NOTIFY_SOCKET LISTEN_FDS LISTEN_PID CREDENTIALS_DIRECTORY STATE_DIRECTORY LOGS_DIRECTORY
    HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy HTTP_PORT HTTPS_PORT HTTP_HOST APP_PORT APP_HOST APP_NAME APP_ENV NODE_PORT WEB_PORT SERVER_PORT
    NODE_OPTIONS NODE_PATH NODE_VERSION YARN_VERSION NODE_EXTRA_CA_CERTS NVM_DIR NVM_BIN INIT_CWD COLOR FORCE_COLOR NO_COLOR CI DEBUG
    npm_config_cache npm_config_prefix npm_config_user_agent npm_lifecycle_event npm_lifecycle_script npm_package_json npm_package_name npm_package_version npm_execpath npm_node_execpath npm_command
    KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR
    POSTGRES_PORT POSTGRES_SERVICE_HOST POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB MARIADB_DATABASE MARIADB_ROOT_PASSWORD MYSQL_HOST MYSQL_PWD
    PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGSSLMODE PGPASSFILE PGSERVICEFILE
    AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE AWS_EXECUTION_ENV AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
    GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_ID DOCKER_HOST DOCKER_CERT_PATH COMPOSE_PROJECT_NAME CONTAINER_NAME DYNO RENDER FLY_APP_NAME RAILWAY_PUBLIC_DOMAIN
    REDIS_URL AMQP_URL VHOST GHOST SPORT SENTRY_DSN OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME SSL_CERT_FILE SSL_CERT_DIR DATABASE_NAME DATABASE_USER DATABASE_HOST LOG_FILE LOG_DIR
    SMTP_HELO MAIL_HOST JWT_SECRET SECRET_KEY SESSION_SECRET CACHE_DIR BACKUP_DIR REQUEST_ID CI_REGISTRY GITHUB_ACTIONS GITHUB_TOKEN
  `
      .trim()
      .split(/\s+/);
    const environment = Object.fromEntries([...names, "PORT", "HOST", "NODE_ENV"].map((name) => [name, "x"]));
    const variables = {
      ...environment,
      PORT: "0",
      HOST: "127.0.0.1",
      NODE_ENV: "production",
      DATABASE_URL: "postgres://h/d",
      DATABASE_URI: "x",
    };
    const warned = loadConfiguration({ environment: variables }).warnings.filter((each) =>
      each.includes("unknown variable"),
    );
    expect(warned).toEqual([]);
  });

  describe("invalid combinations", () => {
    const masterKey = Buffer.alloc(32, 7).toString("base64");
    const relay = { smtp: { host: "mail.example" }, from: "no-reply@mail.example" };

    const load = (mail: object, environment: Record<string, string> = { MASTER_KEY: masterKey }) =>
      loadConfiguration({ content: { databases: [{ storage: { engine: "memory" } }], mail }, environment });

    function faultsOf(mail: object, environment?: Record<string, string>): string[] {
      try {
        load(mail, environment);
        return [];
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        return error.faults.map(({ path }) => path);
      }
    }

    const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
    const file = join(folder, "file");
    writeFileSync(file, "");
    afterAll(() => rmSync(folder, { recursive: true }));

    test.each([
      [{ ...relay }, "startTls", 587],
      [{ ...relay, smtp: { host: "mail.example", port: 465 } }, "tls", 465],
      [{ ...relay, smtp: { host: "mail.example", port: 2525 } }, "startTls", 2525],
      [{ ...relay, smtp: { host: "mail.example", security: "tls" } }, "tls", 465],
      [{ ...relay, smtp: { host: "127.0.0.1" } }, "none", 25],
      [{ ...relay, smtp: { host: "localhost", security: "startTls" } }, "startTls", 587],
    ])("connects for %j with %s on port %i", (mail, security, port) => {
      expect(load(mail).mail.smtp).toMatchObject({ security, port });
    });

    test.each([
      [{ ...relay, smtp: { host: "mail.example", security: "none" } }, ["mail.smtp.security"]],
      [{ smtp: { host: "mail.example" } }, ["mail.from"]],
      [{ ...relay, directory: folder }, ["mail.directory"]],
      [{ ...relay, smtp: { host: "mail.example", user: "me" } }, ["mail.smtp.password"]],
      [{ ...relay, smtp: { host: "mail.example", password: "secret" } }, ["mail.smtp.user"]],
      [{ ...relay, smtp: { host: "mail.example", caFile: join(folder, "none.pem") } }, ["mail.smtp.caFile"]],
      [{ smtp: { port: 25 } }, ["mail.smtp.host"]],
      [{ directory: file }, ["mail.directory"]],
      [{ templatesDirectory: join(folder, "none") }, ["mail.templatesDirectory"]],
      [{ templatesDirectory: folder }, ["mail.templatesDirectory"]],
      [{ ...relay, from: "Somebody <a@mail.example>" }, ["mail.from"]],
      [{ ...relay, from: "a@mail.example\r\nBcc: b@mail.example" }, ["mail.from"]],
      [{ ...relay, fromName: "a\r\nb" }, ["mail.fromName"]],
      [{ ...relay, smtp: { host: "mail.example\r\nQUIT" } }, ["mail.smtp.host"]],
      [{ ...relay, language: "fr" }, ["mail.language"]],
    ])("refuses %j at %j", (mail, paths) => {
      expect(faultsOf(mail)).toEqual(paths);
    });

    test("mail requires a master key, and a disabled mail requires none", () => {
      expect([faultsOf(relay, {}), faultsOf({ directory: folder }, {}), faultsOf({}, {})]).toEqual([
        ["encryption.masterKey"],
        ["encryption.masterKey"],
        [],
      ]);
    });

    test("the demo writes to a folder of its data, unless a relay is configured", () => {
      const demo = (environment: Record<string, string>) =>
        loadConfiguration({ environment: { DATA_DIR: folder, ...environment } }).mail;
      expect(demo({}).directory).toBe(join(folder, "mail"));
      expect(demo({ MAIL_DIR: folder }).directory).toBe(folder);
      const mail = demo({ SMTP_HOST: "127.0.0.1", MAIL_FROM: "a@mail.example" });
      expect([mail.directory, mail.smtp.host]).toEqual([undefined, "127.0.0.1"]);
    });

    test("a demo without a usable data directory reports the given setting, and nothing derived from it", () => {
      const demo = (environment: Record<string, string>) => () => loadConfiguration({ environment });
      const message = (name: string, reason: string) => `Invalid configuration:\n  - ${name}: ${reason}`;
      expect(demo({ DATA_DIR: file })).toThrow(
        new ConfigurationError([{ path: "dataDir", env: "DATA_DIR", reason: "is not a directory" }]),
      );
      expect(demo({ DATA_DIR: join(file, "below") })).toThrow(
        message("dataDir (DATA_DIR)", "cannot be read (ENOTDIR)"),
      );
      expect(demo({ DATA_DIR: folder, MAIL_DIR: file })).toThrow(
        message("mail.directory (MAIL_DIR)", "is not a directory"),
      );
    });
  });
});
