import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { loadConfiguration } from "./load-configuration.ts";

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
  ].map(([given, meant]) => [{ [given as string]: "x" }, [`${given}: unknown variable. Did you mean ${meant}?`]]),
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
  const given = {
    ...environment,
    PORT: "0",
    HOST: "127.0.0.1",
    NODE_ENV: "production",
    DATABASE_URL: "postgres://h/d",
    DATABASE_URI: "x",
  };
  const warned = loadConfiguration({ environment: given }).warnings.filter((each) => each.includes("unknown variable"));
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
    const given = demo({ SMTP_HOST: "127.0.0.1", MAIL_FROM: "a@mail.example" });
    expect([given.directory, given.smtp.host]).toEqual([undefined, "127.0.0.1"]);
  });

  test("a demo without a usable data directory reports the given setting, and nothing derived from it", () => {
    const demo = (environment: Record<string, string>) => () => loadConfiguration({ environment });
    const message = (name: string, reason: string) => `Invalid configuration:\n  - ${name}: ${reason}`;
    expect(demo({ DATA_DIR: file })).toThrow(
      new ConfigurationError([{ path: "dataDir", env: "DATA_DIR", reason: "is not a directory" }]),
    );
    expect(demo({ DATA_DIR: join(file, "below") })).toThrow(
      message("dataDir (DATA_DIR)", "the directory cannot be read (ENOTDIR)"),
    );
    expect(demo({ DATA_DIR: folder, MAIL_DIR: file })).toThrow(
      message("mail.directory (MAIL_DIR)", "is not a directory"),
    );
  });
});
