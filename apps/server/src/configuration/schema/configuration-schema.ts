import * as z from "zod";
import { choice, duration, flag, listOf, path, providerName, text, wholeNumber } from "../field-kinds.ts";
import { anyElement, field, optionalField, section, walkFields } from "../fields.ts";
import { connectionString, databaseSection, replicaUrls } from "./database-section.ts";
import { consoleSection } from "./console-section.ts";
import { filesSection } from "./files-section.ts";
import { licencesSection } from "./licences-section.ts";
import { macrosSection } from "./macros-section.ts";
import { mailSection } from "./mail-section.ts";
import { isHeaderName, isLoopbackUrl } from "./network-texts.ts";
import {
  auditSection,
  explanationsSection,
  devicesSection,
  locksSection,
  objectsSection,
  passwordsSection,
  ratesSection,
  sessionsSection,
  syncSection,
  throttleSection,
} from "./policy-sections.ts";
import { serverSection } from "./server-section.ts";

const masterKey = text({
  expected: "base64 of 32 bytes; generate it with `openssl rand -base64 32`",
  fits: (value) =>
    Buffer.from(value, "base64").length === 32 && Buffer.from(value, "base64").toString("base64") === value,
});

/** Server keys for tokens and encrypted log-ins. */
const encryptionSection = section({
  masterKey: optionalField("MASTER_KEY", masterKey, {
    secret: true,
    doc: "Key that encrypts all stored secrets: base64 of 32 random bytes. Without it, token and secure log-in fail with 705.",
  }),
  formerMasterKeys: optionalField("FORMER_MASTER_KEYS", listOf(masterKey), {
    secret: true,
    doc: "Further master keys that open stored secrets but encrypt none, during a change of the master key. In the variable, commas separate them.",
  }),
  rsaBits: field("RSA_BITS", choice("2048", "3072", "4096"), "2048", {
    doc: "Size in bits of the RSA keys that the server generates for encrypted log-in.",
  }),
  rsaKeyFile: optionalField("RSA_KEY_FILE", path(), {
    doc: "PEM file with an RSA private key. By default, the server generates one.",
  }),
  rsaKeyPassphrase: optionalField("RSA_KEY_PASSPHRASE", text(), { secret: true, doc: "Passphrase of `rsaKeyFile`." }),
  jwtKeyFile: optionalField("JWT_KEY_FILE", path(), {
    doc: "PEM file with a P-256 private key that signs tokens. By default, the server generates one.",
  }),
  jwtKeyPassphrase: optionalField("JWT_KEY_PASSPHRASE", text(), { secret: true, doc: "Passphrase of `jwtKeyFile`." }),
  legacyPkcs1: field("LEGACY_PKCS1", flag(), true, {
    doc: "Accepts credentials with PKCS#1 v1.5 padding, which old clients send.",
  }),
});

/** The enabled identity providers. Their registrations are stored in the databases. */
const oAuthProvidersSection = z
  .array(
    z.strictObject(
      {
        name: field(null, providerName(), undefined, {
          doc: "Identity provider to enable, case-insensitive. `windowslive` and `appleid` are aliases of `microsoft` and `apple`. Register it in each database with `sallyport --local provider add`.",
        }),
      },
      { error: "must be an object" },
    ),
    { error: "must be a list" },
  )
  .optional();

/** Connections to identity providers. */
const providersSection = section({
  allowPrivateAddresses: field("PROVIDERS_ALLOW_PRIVATE_ADDRESSES", flag(), false, {
    doc: "Allows providers with private IP addresses.",
  }),
  maxPendingLogins: section({
    perIp: field("PROVIDERS_MAX_PENDING_LOGINS_PER_IP", wholeNumber(0, 10_000_000), 1_000, {
      doc: "Maximum number of pending provider log-ins per database from one IPv4 address or IPv6 /64. Further log-ins fail with 706, as those above 20,000 of all clients. An abandoned log-in counts for ten minutes. 0 disables the limit.",
    }),
  }),
  fakeUrl: optionalField(
    "PROVIDERS_FAKE_URL",
    text({ expected: "an http URL on this machine, such as http://127.0.0.1:9000", fits: isLoopbackUrl }),
    {
      doc: "URL of a fake provider on this machine. The server calls it instead of the real providers. Use it for tests.",
    },
  ),
});

const mebibyte = 1_048_576;

/** The schema of the configuration file. */
export const configurationSchema = z.strictObject(
  {
    server: serverSection,
    applicationName: field("APPLICATION_NAME", text(), "sallyport", { doc: "`applicationName` in the service check." }),
    databaseUrl: optionalField("DATABASE_URL", connectionString, {
      secret: true,
      doc: "Default connection string of the databases: `postgres://`, `mariadb://` or `mysql://`. Without `databases`, it defines one database with the empty alias.",
    }),
    databaseReadUrls: optionalField("DATABASE_READ_URLS", replicaUrls, {
      secret: true,
      doc: "Connection strings of the standbys of `databaseUrl` that answer lists. Postgres only.",
    }),
    dataDir: field("DATA_DIR", path(), "data", { doc: "Default data directory of embedded databases and files." }),
    databases: z.array(databaseSection, { error: "must be a list" }).optional(),
    sessions: sessionsSection,
    rates: ratesSection,
    locks: locksSection,
    objects: objectsSection,
    devices: devicesSection,
    throttle: throttleSection,
    audit: auditSection,
    explanations: explanationsSection,
    sync: syncSection,
    passwords: passwordsSection,
    oAuthProviders: oAuthProvidersSection,
    providers: providersSection,
    limits: section({
      maxResponseBytes: field("MAX_RESPONSE_BYTES", wholeNumber(2 * mebibyte, 1024 * mebibyte), 16 * mebibyte, {
        doc: "Maximum size in bytes of the objects that one response reads, and of its JSON. A request that needs more fails with 307.",
      }),
    }),
    files: filesSection,
    macros: macrosSection,
    mail: mailSection,
    licences: licencesSection,
    encryption: encryptionSection,
    compatibility: section({
      plainAfterSecureLogin: field("PLAIN_AFTER_SECURE_LOGIN", flag(), false, {
        doc: "Returns a plain session id for a secure log-in with `furtherencryption: false`, which first-generation clients need. Their later traffic is not encrypted.",
      }),
      missingCredential: field("MISSING_CREDENTIAL", choice("200", "204"), "200", {
        doc: "Error code for a request without the required credential.",
      }),
    }),
    cors: section({
      allowedHeaders: field(
        "CORS_ALLOWED_HEADERS",
        listOf(text({ expected: "the name of a header", fits: isHeaderName })),
        ["traceparent", "tracestate", "baggage", "sentry-trace"],
        {
          doc: "Request headers that web pages may send, besides those of the service. The default is what tracing libraries add.",
        },
      ),
    }),
    debugMessages: optionalField("DEBUG_MESSAGES", flag(), {
      doc: "Adds a `debugMessage` with the exact reason to every error. Enabled by default in the demo and with `NODE_ENV=development`.",
    }),
    docs: section({
      enabled: optionalField("DOCS_ENABLED", flag(), {
        doc: "Serves interactive API documentation at `/docs` of each database. Enabled by default, except in production.",
      }),
    }),
    administration: section({
      enabled: field("ADMINISTRATION_ENABLED", flag(), true, {
        doc: "Serves the administration routes of each database, with their log-in and API description. Without them, their paths fail with 304. Administer with `sallyport --local` then.",
      }),
    }),
    console: consoleSection,
    metrics: section({
      access: field("METRICS_ACCESS", choice("loopback", "any", "off"), "loopback", {
        doc: "Clients that can read `/metrics`: `loopback` allows this machine only, `any` every client, `off` none. `/readyz` shows the states of databases to this machine only, and with `off` to no client.",
      }),
    }),
    log: section({
      level: field("LOG_LEVEL", choice("fatal", "error", "warn", "info", "debug", "trace", "silent"), "info", {
        doc: "Minimum level to log.",
      }),
      format: optionalField("LOG_FORMAT", choice("json", "text"), {
        doc: "Log format: `json` writes one object per line, `text` a readable line. Defaults to `text` for the demo in a terminal and `json` otherwise.",
      }),
      slowQueryThreshold: field("LOG_SLOW_QUERY_THRESHOLD", duration("0s", "1h"), "500ms", {
        doc: "Minimum duration of a query to log as slow. The log names the attributes that need an index.",
      }),
    }),
  },
  { error: "must be an object" },
);

/** The parsed configuration, before defaults are applied to the databases. */
export type ConfigurationDocument = z.output<typeof configurationSchema>;

/** One row of the reference. */
export interface ConfigurationField {
  /** Path in the file; `[]` stands for any element of a list. */
  readonly path: string;
  /** Environment variable; `null` if there is none. A secret can also use the suffix `_FILE`. */
  readonly env: string | null;
  readonly type: string;
  /** As JSON; `null` if there is none. */
  readonly default: string | null;
  readonly doc: string;
  readonly secret: boolean;
}

/** All fields of the configuration, in the order of the file. */
export function configurationFields(): ConfigurationField[] {
  return Array.from(walkFields(configurationSchema), ({ path: steps, facts }) => ({
    path: steps.join(".").replaceAll(`.${anyElement}`, anyElement),
    env: facts.env,
    type: facts.kind.type,
    default: facts.default === undefined ? null : JSON.stringify(facts.default),
    doc: facts.doc,
    secret: facts.secret,
  }));
}
