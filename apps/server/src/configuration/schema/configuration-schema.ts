import * as z from "zod";
import { choice, duration, flag, path, providerName, text, wholeNumber } from "../field-kinds.ts";
import { anyElement, field, optionalField, section, walkFields } from "../fields.ts";
import { connectionString, databaseSection } from "./database-section.ts";
import { macrosSection } from "./macros-section.ts";
import { mailSection } from "./mail-section.ts";
import { isLoopbackUrl } from "./network-texts.ts";
import {
  auditSection,
  locksSection,
  objectsSection,
  passwordsSection,
  sessionsSection,
  throttleSection,
} from "./policy-sections.ts";
import { serverSection } from "./server-section.ts";

const masterKey = text({
  wanted: "base64 of 32 bytes, as `openssl rand -base64 32` prints it",
  fits: (value) =>
    Buffer.from(value, "base64").length === 32 && Buffer.from(value, "base64").toString("base64") === value,
});

/** Keys of the server, for tokens and for encrypted log-ins. */
const encryptionSection = section({
  masterKey: optionalField("MASTER_KEY", masterKey, {
    secret: true,
    doc: "Everything secret that is stored is wrapped under it: base64 of 32 random bytes. Without it token and secure log-in answer 705.",
  }),
  rsaBits: field("RSA_BITS", choice("2048", "3072", "4096"), "2048", {
    doc: "Size of the RSA key pairs that the server makes for encrypted log-ins.",
  }),
  rsaKeyFile: optionalField("RSA_KEY_FILE", path(), {
    doc: "PEM file with an RSA private key to use instead of one that the server makes.",
  }),
  rsaKeyPassphrase: optionalField("RSA_KEY_PASSPHRASE", text(), { secret: true, doc: "Passphrase of `rsaKeyFile`." }),
  jwtKeyFile: optionalField("JWT_KEY_FILE", path(), {
    doc: "PEM file with a P-256 private key that signs tokens, instead of one that the server makes.",
  }),
  jwtKeyPassphrase: optionalField("JWT_KEY_PASSPHRASE", text(), { secret: true, doc: "Passphrase of `jwtKeyFile`." }),
  legacyPkcs1: field("LEGACY_PKCS1", flag(), true, {
    doc: "Whether credentials padded by PKCS#1 v1.5 are taken, as old clients send them.",
  }),
});

/** Which identity providers this server logs in with. What they know the service by is registered in the databases. */
const oAuthProvidersSection = z
  .array(
    z.strictObject(
      {
        name: field(null, providerName(), undefined, {
          doc: "A provider with whose accounts log-ins are possible, in any case; `windowslive` and `appleid` are other names of `microsoft` and `apple`. It has to be registered in each database, too: `sallyport-server provider add`.",
        }),
      },
      { error: "must be an object" },
    ),
    { error: "must be a list" },
  )
  .optional();

/** How the server speaks to identity providers. */
const providersSection = section({
  timeout: field("PROVIDERS_TIMEOUT", duration("100ms", "1m"), "5s", {
    doc: "How long a provider may take for one answer; a log-in that waits longer is answered 706.",
  }),
  allowPrivateAddresses: field("PROVIDERS_ALLOW_PRIVATE_ADDRESSES", flag(), false, {
    doc: "Whether providers may have addresses that are not public, such as those of a network of one's own.",
  }),
  underWayPerNetwork: field("PROVIDERS_UNDER_WAY_PER_NETWORK", wholeNumber(0, 10_000_000), 1_000, {
    doc: "Most log-ins that may be under way at providers at once, in each database, from one network (an IPv4 address or an IPv6 /64); the next one is answered 706. One that is given up counts for ten minutes. 0 means any number.",
  }),
  underWay: field("PROVIDERS_UNDER_WAY", wholeNumber(0, 10_000_000), 20_000, {
    doc: "Most log-ins that may be under way at providers at once in each database, whichever network they come from; the next one is answered 706. 0 means any number.",
  }),
  imitation: optionalField(
    "PROVIDERS_IMITATION",
    text({ wanted: "an http address on this machine, such as http://127.0.0.1:9000", fits: isLoopbackUrl }),
    {
      doc: "Address of an imitation of the providers on this machine, which is asked in their place: for trying log-ins out, never for real ones.",
    },
  ),
});

const mebibyte = 1_048_576;

/** Everything that can be configured, as the file spells it. */
export const configurationSchema = z.strictObject(
  {
    server: serverSection,
    applicationName: field("APPLICATION_NAME", text(), "sallyport", { doc: "`applicationName` of the service check." }),
    databaseUrl: optionalField("DATABASE_URL", connectionString, {
      secret: true,
      doc: "Postgres or MariaDB of every database that names none of its own. Without `databases` it makes one, with the empty alias.",
    }),
    dataDir: field("DATA_DIR", path(), "data", { doc: "Directory of embedded databases that name none of their own." }),
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
      answerBytes: field("ANSWER_BYTES", wholeNumber(2 * mebibyte, 1024 * mebibyte), 16 * mebibyte, {
        doc: "Bytes of objects that are read for one answer, and of JSON that is written into it; what needs more is refused with 307.",
      }),
    }),
    macros: macrosSection,
    mail: mailSection,
    encryption: encryptionSection,
    compatibility: section({
      plainAfterSecureLogin: field("PLAIN_AFTER_SECURE_LOGIN", flag(), false, {
        doc: "Whether a secure log-in with `furtherencryption: false` gives a plain session id, as first-generation clients expect.",
      }),
      missingCredential: field("MISSING_CREDENTIAL", choice("200", "204"), "200", {
        doc: "The code for a request that needs a session and carries no credential.",
      }),
    }),
    debugMessages: optionalField("DEBUG_MESSAGES", flag(), {
      doc: "Failures carry a `debugMessage` that tells what exactly is wrong; unless given, in the demo and where `NODE_ENV` is `development`.",
    }),
    docs: section({
      enabled: optionalField("DOCS_ENABLED", flag(), {
        doc: "Whether `/docs` of each database shows a page on which its API can be tried out; unless given, everywhere but in production.",
      }),
    }),
    metrics: section({
      access: field("METRICS_ACCESS", choice("loopback", "any", "off"), "loopback", {
        doc: "Who may read `/metrics`: this machine, anybody, nobody.",
      }),
    }),
    log: section({
      level: field("LOG_LEVEL", choice("fatal", "error", "warn", "info", "debug", "trace", "silent"), "info", {
        doc: "The least level that is logged.",
      }),
      format: optionalField("LOG_FORMAT", choice("json", "text"), {
        doc: "`json`: one object per line; `text`: for people. Unless given, text for the demo in a terminal, else json.",
      }),
      slowQueries: field("LOG_SLOW_QUERIES", duration("0s", "1h"), "500ms", {
        doc: "Lists for which the database takes this long are logged as warnings, with the attributes that an index would help.",
      }),
    }),
  },
  { error: "must be an object" },
);

/** The configuration as the schema reads it, before the databases take over what is common to all. */
export type ConfigurationDocument = z.output<typeof configurationSchema>;

/** One line of the reference. */
export interface ConfigurationField {
  /** As in the file; `[]` stands for any element of a list. */
  readonly path: string;
  /** Environment variable, if there is one; a secret's may also be spelled with `_FILE`. */
  readonly env: string | null;
  readonly type: string;
  /** As JSON; `null` when there is none. */
  readonly default: string | null;
  readonly doc: string;
  readonly secret: boolean;
}

/** Every field of the configuration, in the order of the file. */
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
