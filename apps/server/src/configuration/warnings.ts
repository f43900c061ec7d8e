import { isLocal, parseAddress, tlsOf } from "@sallyport/storage-knex/server-address";
import { didYouMean } from "@sallyport/client/terminal";
import type { Configuration } from "./configuration.ts";
import { isOnServer } from "./database-storage.ts";
import { walkFields } from "./fields.ts";
import { configurationSchema } from "./schema/configuration-schema.ts";
import { isLoopbackHost } from "./schema/network-texts.ts";
import type { Environment } from "./read-sources.ts";
import { removedSettings } from "./removed-settings.ts";

/** Warnings about valid but probably unintended settings. */
export function warningsAbout(configuration: Omit<Configuration, "warnings">): string[] {
  const { server, databases, demo, production, debugMessages, mail, metrics, encryption, compatibility } =
    configuration;
  const warnings: string[] = [];
  const open = !isLoopbackHost(server.host);
  const tls = server.tls.certificateFile !== undefined;
  if (open && !tls && !server.allowInsecureTransport && server.trustedProxies.length === 0) {
    warnings.push(
      `server.host: the server listens on ${server.host} without TLS and refuses credentials of other machines. Set server.tls, add the TLS-terminating proxy to server.trustedProxies, or set server.allowInsecureTransport.`,
    );
  }
  if (server.allowInsecureTransport && (open || production)) {
    warnings.push("server.allowInsecureTransport: the server accepts passwords and session ids over plain HTTP.");
  }
  if (metrics.access === "any" && open) warnings.push("metrics.access: every client can read the metrics.");
  if (debugMessages && production) warnings.push("debugMessages: errors include their exact reason, in production.");
  if (compatibility.plainAfterSecureLogin) {
    warnings.push("compatibility.plainAfterSecureLogin: clients can turn off encryption after a secure log-in.");
  }
  if (mail.directory !== undefined && production)
    warnings.push("mail.directory: mail is written to files and not sent, in production.");
  for (const { alias, storage } of databases) {
    const name = alias === "" ? "the database with the empty alias" : `the database "${alias}"`;
    if (isOnServer(storage) && trustsAnyServer(storage.url))
      warnings.push(
        `databases: the connections of ${name} are encrypted, and any server can answer: sslmode=require checks no certificate. Set sslrootcert.`,
      );
    if (storage === null) warnings.push(`databases: ${name} has no storage; its requests fail with 705.`);
    if (storage?.engine === "memory")
      warnings.push(`databases: ${name} is in memory; its data is lost when the server stops.`);
    if (storage?.engine === "embedded" && production && !demo) {
      warnings.push(`databases: ${name} is embedded; only one server process can use it.`);
    }
  }
  if (encryption.rsaKeyFile !== undefined && databases.length > 1) {
    warnings.push(
      "encryption.rsaKeyFile: all databases share this key. An encrypted log-in recorded for one database can be replayed at another if the user has the same password there.",
    );
  }
  // Last, because a deployment that uses session ids only needs no master key.
  if (encryption.masterKey === undefined && !demo) {
    warnings.push(
      "encryption.masterKey: not set. Token, encrypted and secure log-in fail with 705. To enable them, set MASTER_KEY; generate it with 'openssl rand -base64 32'.",
    );
  }
  return warnings;
}

/** Whether a server elsewhere is not checked, although its connections are encrypted. */
function trustsAnyServer(url: string): boolean {
  const address = parseAddress(url);
  return tlsOf(address)?.verifiesAuthority === false && !address.hosts.every(isLocal);
}

const prefix = "SALLYPORT_";
/** Shorter names resemble too many others. */
const minNameLength = 5;
/** Minimum length of a typo with a different first letter. */
const long = 8;
/** In shorter names, two edits can produce another word: HTTP_PORT, SMTP_PORT. */
const longer = 11;
/** Names of other software for settings of this server. */
const otherwise: ReadonlyMap<string, string> = new Map([
  ["MARIADB_URL", "DATABASE_URL"],
  ["SMTP_PASS", "SMTP_PASSWORD"],
  ["SMTP_USERNAME", "SMTP_USER"],
]);

/** Warnings about unread variables that resemble a setting. */
export function environmentWarnings(environment: Environment): string[] {
  const names = Array.from(walkFields(configurationSchema)).flatMap(({ facts: { env, secret } }) =>
    env === null ? [] : secret ? [env, `${env}_FILE`] : [env],
  );
  names.push(`${prefix}CONFIG`);
  const former = removedSettings.map(({ variable }) => variable);
  const isSet = (name: string): boolean => environment[name] !== undefined && environment[name] !== "";
  const candidates = Object.keys(environment).filter(
    (name) => isSet(name) && !names.includes(name) && !former.includes(name),
  );
  return candidates.flatMap((name) => {
    const own = name.startsWith(prefix);
    const suggestion = settingMeantBy(own ? name.slice(prefix.length) : name, names);
    // If the setting itself is set, a similar name belongs to other software.
    if (suggestion !== undefined && (own || !isSet(suggestion)))
      return [`${name}: unknown variable. Did you mean ${suggestion}?`];
    return own ? [`${name}: unknown variable.`] : [];
  });
}

function settingMeantBy(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  if (name.length < minNameLength) return undefined;
  const bare = withoutSeparators(name);
  const same = names.find((each) => withoutSeparators(each) === bare);
  if (same !== undefined) return same;
  const renamed = Array.from(otherwise).find(([other]) => withoutSeparators(other) === bare);
  if (renamed !== undefined) return renamed[1];
  const suggestion = didYouMean(name, names, name.length < longer ? 1 : 2);
  return name.length < long && suggestion?.[0] !== name[0] ? undefined : suggestion;
}

function withoutSeparators(name: string): string {
  return name.replaceAll(/[_.-]/g, "").toUpperCase();
}
