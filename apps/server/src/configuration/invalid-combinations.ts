import { isDeepStrictEqual } from "node:util";
import type { SessionPolicy } from "@sallyport/storage";
import { readTemplates } from "../mail/read-templates.ts";
import type { Fault } from "./configuration-error.ts";
import type { DatabaseConfiguration } from "./configuration.ts";
import type { ConfigurationDocument } from "./schema/configuration-schema.ts";
import { isLoopbackHost, listenerAddress } from "./schema/network-texts.ts";
import { folderProblem, unreadable } from "./file-access.ts";

/** An error about values that exclude or require each other. */
export interface InvalidCombination extends Fault {
  /** Paths of the other values. The error is suppressed if one of them is invalid itself. */
  readonly against?: readonly string[];
}

/** Invalid combinations of the key settings. */
export function* encryptionCombinations({ encryption }: ConfigurationDocument): Generator<InvalidCombination> {
  const { masterKey, formerMasterKeys = [], rsaKeyFile, rsaKeyPassphrase, jwtKeyFile, jwtKeyPassphrase } = encryption;
  const former = { path: "encryption.formerMasterKeys", against: ["encryption.masterKey"] };
  if (formerMasterKeys.length > 0 && masterKey === undefined)
    yield { path: "encryption.masterKey", reason: "is required with formerMasterKeys", against: [former.path] };
  if (masterKey !== undefined && formerMasterKeys.includes(masterKey))
    yield { ...former, reason: "must not contain the master key" };
  if (new Set(formerMasterKeys).size < formerMasterKeys.length)
    yield { ...former, reason: "must not contain a key twice" };
  for (const [name, file] of Object.entries({ rsaKeyFile, jwtKeyFile })) {
    if (file === undefined) continue;
    yield* fileCombinations("encryption", { [name]: file });
    if (masterKey === undefined) {
      yield { path: "encryption.masterKey", reason: `is required with ${name}`, against: [`encryption.${name}`] };
    }
  }
  if (rsaKeyPassphrase !== undefined && rsaKeyFile === undefined) {
    yield { path: "encryption.rsaKeyFile", reason: "is required with a passphrase" };
  }
  if (jwtKeyPassphrase !== undefined && jwtKeyFile === undefined) {
    yield { path: "encryption.jwtKeyFile", reason: "is required with a passphrase" };
  }
}

/** Incomplete settings of the object storage, settings without effect, and encryption without a master key. The demo generates its own. */
export function* filesCombinations(
  { files: { encrypt, store, s3 }, encryption }: ConfigurationDocument,
  demo: boolean,
): Generator<InvalidCombination> {
  const { endpoint, bucket, accessKeyId, secretAccessKey } = s3;
  for (const [name, value] of Object.entries({ endpoint, bucket, accessKeyId, secretAccessKey })) {
    const path = `files.s3.${name}`;
    if (store === "s3" && value === undefined)
      yield { path, reason: "is required with files.store s3", against: ["files.store"] };
    if (store !== "s3" && value !== undefined) yield { path, reason: 'requires "files.store" to be "s3"' };
  }
  if (!encrypt || encryption.masterKey !== undefined || demo) return;
  const reason = "is required with files.encrypt. Generate it with 'openssl rand -base64 32'";
  yield { path: "encryption.masterKey", reason, against: ["files.encrypt"] };
}

/** Invalid macro directories. `common`: the server-wide directory. */
export function* macrosCombinations(
  common: string | undefined,
  databases: readonly DatabaseConfiguration[],
): Generator<InvalidCombination> {
  const named = databases.map(
    ({ macros }, index) => [`databases[${index}].macros.directory`, macros.directory] as const,
  );
  const own = named.filter(([, directory]) => directory !== null && directory !== common);
  for (const [path, directory] of [["macros.directory", common ?? null] as const, ...own]) {
    const reason = directory === null ? null : folderProblem(directory);
    if (reason !== null) yield { path, reason: reason };
  }
}

/** Invalid combinations of the mail settings, and invalid templates. The demo generates its master key. */
export function* mailCombinations(
  { mail, encryption }: ConfigurationDocument,
  demo: boolean,
): Generator<InvalidCombination> {
  const { smtp, directory, from, templatesDirectory } = mail;
  const { host, security, user, password, caFile } = smtp;
  const against = ["mail.smtp.host"];
  if (host === undefined) {
    for (const [name, value] of Object.entries({ port: smtp.port, security, user, password, caFile })) {
      if (value !== undefined)
        yield { path: "mail.smtp.host", reason: `is required with ${name}`, against: [`mail.smtp.${name}`] };
    }
  } else {
    if (directory !== undefined)
      yield { path: "mail.directory", reason: "cannot be combined with mail.smtp.host", against };
    if (from === undefined) yield { path: "mail.from", reason: "is required with mail.smtp.host", against };
    if (security === "none" && !isLoopbackHost(host)) {
      yield {
        path: "mail.smtp.security",
        reason: "can be none only if mail.smtp.host is a loopback address: mail contains passwords and tokens",
        against,
      };
    }
    if (user !== undefined && password === undefined)
      yield { path: "mail.smtp.password", reason: "is required with user", against: ["mail.smtp.user"] };
    if (password !== undefined && user === undefined)
      yield { path: "mail.smtp.user", reason: "is required with password", against: ["mail.smtp.password"] };
  }
  yield* fileCombinations("mail.smtp", { caFile });
  if ((host ?? directory) !== undefined && encryption.masterKey === undefined && !demo) {
    const reason = "is required for mail: it encrypts the outbox. Generate it with 'openssl rand -base64 32'";
    yield { path: "encryption.masterKey", reason, against: [host === undefined ? "mail.directory" : "mail.smtp.host"] };
  }
  const reason = directory === undefined ? null : folderProblem(directory, { mayBeMissing: true });
  if (reason !== null) yield { path: "mail.directory", reason: reason, against: ["dataDir"] };
  if (templatesDirectory !== undefined) yield* templateCombinations(templatesDirectory);
}

function* templateCombinations(templates: string): Generator<InvalidCombination> {
  const reason = folderProblem(templates);
  const faults = reason === null ? readTemplates(templates).faults : [];
  if (reason !== null) yield { path: "mail.templatesDirectory", reason: reason };
  for (const fault of faults) yield { path: "mail.templatesDirectory", reason: `has an invalid template: ${fault}` };
}

/** A receiver of licence messages without a secret, or the reverse. */
export function* licencesCombinations({ licences }: ConfigurationDocument): Generator<InvalidCombination> {
  const { url, secret, required } = licences.statistics;
  const at = "licences.statistics";
  if (url !== undefined && secret === undefined)
    yield { path: `${at}.secret`, reason: "is required with url: it signs the messages", against: [`${at}.url`] };
  if (url === undefined && (secret !== undefined || required)) {
    const other = secret === undefined ? "required" : "secret";
    yield { path: `${at}.url`, reason: `is required with ${other}`, against: [`${at}.${other}`] };
  }
}

/** Duplicate providers, invalid limits, and missing requirements of a provider log-in. */
export function* providersCombinations(
  { oAuthProviders = [], encryption, server }: ConfigurationDocument,
  demo: boolean,
): Generator<InvalidCombination> {
  for (const [index, { name }] of oAuthProviders.entries()) {
    const before = oAuthProviders.findIndex((other) => other.name === name);
    if (before === index) continue;
    yield {
      path: `oAuthProviders[${index}].name`,
      reason: `is the same provider as oAuthProviders[${before}].name`,
      against: [`oAuthProviders[${before}].name`],
    };
  }
  // The demo knows its address and generates its master key.
  if (oAuthProviders.length === 0 || demo) return;
  if (encryption.masterKey === undefined) {
    yield {
      path: "encryption.masterKey",
      reason:
        "is required with oAuthProviders: it encrypts the registered providers. Generate it with 'openssl rand -base64 32'",
      against: ["oAuthProviders"],
    };
  }
  // Apple's callback URL comes from its registration.
  if (server.publicUrl === undefined && oAuthProviders.some(({ name }) => name !== "apple")) {
    yield {
      path: "server.publicUrl",
      reason: "is required with oAuthProviders: it is the base of the callback URLs",
      against: ["oAuthProviders"],
    };
  }
}

/** Invalid combinations of the server settings. */
export function* serverCombinations({ server }: ConfigurationDocument): Generator<InvalidCombination> {
  const { certificateFile, keyFile } = server.tls;
  if (certificateFile !== undefined && keyFile === undefined) {
    yield { path: "server.tls.keyFile", reason: "is required with certificateFile" };
  }
  if (keyFile !== undefined && certificateFile === undefined) {
    yield { path: "server.tls.certificateFile", reason: "is required with keyFile" };
  }
  yield* fileCombinations("server.tls", { certificateFile, keyFile });
}

/** A listener of the console at the place of the other one, and an app name without its app key. */
export function* consoleCombinations({
  console: { appName, appKey, listen },
  databases = [],
  server: { host, port },
}: ConfigurationDocument): Generator<InvalidCombination> {
  if (listen !== undefined && port !== 0 && isDeepStrictEqual(listenerAddress(listen), { host, port }))
    yield {
      path: "console.listen",
      reason: "must differ from server.host and server.port",
      against: ["server.host", "server.port"],
    };
  const keys = [appKey, ...databases.map((database) => database.console?.appKey)];
  if (appName !== undefined && keys.every((key) => key === undefined))
    yield { path: "console.appKey", reason: "is required with appName", against: ["console.appName"] };
}

/** Several workers where one process has to serve alone. */
export function* workersCombinations(
  { server: { workers } }: ConfigurationDocument,
  databases: readonly DatabaseConfiguration[],
  demo: boolean,
): Generator<InvalidCombination> {
  const why = whyOneProcess(databases, demo);
  if (why === null || workers === 1 || workers === "auto") return;
  yield { path: "server.workers", reason: `must be 1: ${why}`, against: ["databases"] };
}

/** Why only one process can serve; `null` if several can. */
export function whyOneProcess(databases: readonly DatabaseConfiguration[], demo: boolean): string | null {
  const alone = databases.find(({ storage }) => storage?.engine === "embedded" || storage?.engine === "memory");
  if (alone !== undefined) {
    const which = alone.alias === "" ? "the database with the empty alias" : `the database "${alone.alias}"`;
    return `${which} is ${alone.storage?.engine === "memory" ? "in memory" : "embedded"}, and only one process can use it`;
  }
  return demo ? "the demo has one process" : null;
}

/** Invalid combinations of session limits. `at`: path of the section; `common`: path of the server-wide one. */
export function* sessionCombinations(policy: SessionPolicy, at: string, common: string): Generator<InvalidCombination> {
  yield* wrongOrder(policy, ["idleTimeout", "absoluteLifetime"], "longer", at, common);
  if (policy.limit > 0) yield* wrongOrder(policy, ["perUserLimit", "limit"], "greater", at, common);
}

/** Reports two members of a section if the first exceeds the second. */
function* wrongOrder<Member extends string>(
  values: Readonly<Record<NoInfer<Member>, number>>,
  [lesser, greater]: readonly [Member, Member],
  word: "longer" | "greater",
  at: string,
  common: string = at,
): Generator<InvalidCombination> {
  if (values[lesser] <= values[greater]) return;
  const against = [lesser, greater].flatMap((member) => [`${at}.${member}`, `${common}.${member}`]);
  yield { path: `${at}.${lesser}`, reason: `must not be ${word} than ${greater}`, against };
}

/** Unreadable files of a section. */
function* fileCombinations(
  at: string,
  files: Readonly<Record<string, string | undefined>>,
): Generator<InvalidCombination> {
  for (const [name, file] of Object.entries(files)) {
    const reason = file === undefined ? null : unreadable(file);
    if (reason !== null) yield { path: `${at}.${name}`, reason: `the file ${reason}` };
  }
}
