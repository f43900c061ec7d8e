import { z } from "zod";
import { choice, duration, field, flag, optionalField, path, section, text, wholeNumber } from "../fields/index.ts";
import { connectionString, databaseSection } from "./database-section.ts";
import { encryptionSection } from "./encryption-section.ts";
import { macrosSection } from "./macros-section.ts";
import { mailSection } from "./mail-section.ts";
import {
  auditSection,
  locksSection,
  objectsSection,
  passwordsSection,
  sessionsSection,
  throttleSection,
} from "./policy-sections.ts";
import { oAuthProvidersSection, providersSection } from "./providers-section.ts";
import { serverSection } from "./server-section.ts";

const mebibyte = 1_048_576;

/** Everything that can be configured, as the file spells it. */
export const configurationSchema = z.strictObject(
  {
    server: serverSection,
    applicationName: field(text(), {
      env: "APPLICATION_NAME",
      default: "sallyport",
      doc: "`applicationName` of the service check.",
    }),
    databaseUrl: optionalField(connectionString, {
      env: "DATABASE_URL",
      secret: true,
      doc: "Postgres or MariaDB of every database that names none of its own. Without `databases` it makes one, with the empty alias.",
    }),
    dataDir: field(path(), {
      env: "DATA_DIR",
      default: "data",
      doc: "Directory of embedded databases that name none of their own.",
    }),
    databases: z.array(databaseSection, { error: "must be a list" }).optional(),
    sessions: sessionsSection,
    locks: locksSection,
    objects: objectsSection,
    throttle: throttleSection,
    audit: auditSection,
    passwords: passwordsSection,
    oAuthProviders: oAuthProvidersSection,
    providers: providersSection,
    limits: section({
      answerBytes: field(wholeNumber(2 * mebibyte, 1024 * mebibyte), {
        env: "ANSWER_BYTES",
        default: 16 * mebibyte,
        doc: "Bytes of objects that are read for one answer, and of JSON that is written into it; what needs more is refused with 307.",
      }),
    }),
    macros: macrosSection,
    mail: mailSection,
    encryption: encryptionSection,
    compatibility: section({
      plainAfterSecureLogin: field(flag(), {
        env: "PLAIN_AFTER_SECURE_LOGIN",
        default: false,
        doc: "Whether a secure log-in with `furtherencryption: false` gives a plain session id, as first-generation clients expect.",
      }),
      missingCredential: field(choice("200", "204"), {
        env: "MISSING_CREDENTIAL",
        default: "200",
        doc: "The code for a request that needs a session and carries no credential.",
      }),
    }),
    debugMessages: optionalField(flag(), {
      env: "DEBUG_MESSAGES",
      doc: "Failures carry a `debugMessage` that tells what exactly is wrong; unless given, in the demo and where `NODE_ENV` is `development`.",
    }),
    docs: section({
      enabled: optionalField(flag(), {
        env: "DOCS_ENABLED",
        doc: "Whether `/docs` of each database shows a page on which its API can be tried out; unless given, everywhere but in production.",
      }),
    }),
    metrics: section({
      access: field(choice("loopback", "any", "off"), {
        env: "METRICS_ACCESS",
        default: "loopback",
        doc: "Who may read `/metrics`: this machine, anybody, nobody.",
      }),
    }),
    log: section({
      level: field(choice("fatal", "error", "warn", "info", "debug", "trace", "silent"), {
        env: "LOG_LEVEL",
        default: "info",
        doc: "The least level that is logged.",
      }),
      format: optionalField(choice("json", "text"), {
        env: "LOG_FORMAT",
        doc: "`json`: one object per line; `text`: for people. Unless given, text for the demo in a terminal, else json.",
      }),
      slowQueries: field(duration("0s", "1h"), {
        env: "LOG_SLOW_QUERIES",
        default: "500ms",
        doc: "Lists for which the database takes this long are logged as warnings, with the attributes that an index would help.",
      }),
    }),
  },
  { error: "must be an object" },
);

/** The configuration as the schema reads it, before the databases take over what is common to all. */
export type ConfigurationDocument = z.output<typeof configurationSchema>;
