import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { providerTypes } from "@sallyport/storage";
import { checkShape } from "./check-shape.ts";
import { didYouMean } from "@sallyport/client/terminal";
import { ConfigurationError, type Fault } from "./configuration-error.ts";
import { type Configuration, mailOf } from "./configuration.ts";
import {
  type InvalidCombination,
  consoleCombinations,
  encryptionCombinations,
  filesCombinations,
  licencesCombinations,
  macrosCombinations,
  mailCombinations,
  providersCombinations,
  serverCombinations,
  sessionCombinations,
  whyOneProcess,
  workersCombinations,
} from "./invalid-combinations.ts";
import { resolveDatabases } from "./databases.ts";
import { demoConsole, demoDatabases, demoMacros, isDemo } from "./demo.ts";
import { walkFields } from "./fields.ts";
import { folderProblem } from "./file-access.ts";
import { type Environment, type EnvironmentValues, readEnvironment, readFile } from "./read-sources.ts";
import { takeRemovedSettings } from "./removed-settings.ts";
import { type ConfigurationDocument, configurationSchema } from "./schema/configuration-schema.ts";
import { environmentWarnings, warningsAbout } from "./warnings.ts";

export interface ConfigurationSources {
  /** Path of a file that must exist. */
  readonly file?: string | undefined;
  /** Content that replaces a file. */
  readonly content?: object;
  /** Replaces the environment of this process. */
  readonly environment?: Environment;
  /** Overrides the variable `WORKERS`. */
  readonly workers?: string | undefined;
}

const defaultFile = "sallyport.config.json";
const nodeEnvironments = ["production", "development", "test"];

/**
 * Loads the file (the given one, `SALLYPORT_CONFIG`, or `./sallyport.config.json`) and overrides it with the
 * environment. Throws a `ConfigurationError` with all errors. Without a file, in development and on loopback, it
 * returns the demo.
 */
export function loadConfiguration(sources: ConfigurationSources = {}): Configuration {
  const { environment: variables = process.env, workers: count } = sources;
  const environment = count === undefined ? variables : { ...variables, WORKERS: count };
  const file = fileOf(sources, environment);
  const nodeEnvironment = environment["NODE_ENV"] || undefined;
  if (nodeEnvironment !== undefined && !nodeEnvironments.includes(nodeEnvironment))
    throw unknownNodeEnvironment(nodeEnvironment);
  const production = nodeEnvironment === "production";
  const read = readEnvironment(environment);
  const content: unknown = sources.content ?? (file === null ? {} : readFile(file));
  const isConfigured = file !== null || sources.content !== undefined;
  if (!isRecord(content))
    throw new ConfigurationError([{ path: "", reason: `The file ${file} must contain a JSON object.` }]);
  const raw = structuredClone(content);
  const remaining = takeRemovedSettings(raw, environment);
  for (const { path, value } of read.values.values()) put(raw, path, value);

  const shape = checkShape(raw);
  const withSources = (faults: Iterable<Fault>): Fault[] =>
    Array.from(faults).map((fault) => withSource(fault, read.values, raw));
  const faults = [...read.faults, ...remaining.faults, ...withSources(shape.faults)];
  if (shape.document === null) throw new ConfigurationError(faults);

  const { host } = shape.document.server;
  const demo = isDemo({ isConfigured, production, host });
  const onServer = raw["databaseUrl"] !== undefined;
  if (!demo && !isConfigured && !onServer && faults.length === 0) throw nothingConfigured(production);
  const settings = demo ? withDemo(raw, onServer, shape.document.dataDir) : raw;
  const document = demo ? (checkShape(settings).document ?? shape.document) : shape.document;

  // Settings derived from the directory would fail, too.
  const unusable = demo ? withSources(dataDirFaults(document)) : [];
  if (unusable.length > 0) throw new ConfigurationError([...faults, ...unusable]);

  const { databases, combinations } = resolveDatabases(document, settings);
  const all = [
    ...serverCombinations(document),
    ...encryptionCombinations(document),
    ...filesCombinations(document, demo),
    ...consoleCombinations(document),
    ...sessionCombinations(document.sessions, "sessions", "sessions"),
    ...combinations,
    ...workersCombinations(document, databases, demo),
  ];
  all.push(...mailCombinations(document, demo), ...licencesCombinations(document));
  all.push(...macrosCombinations(document.macros.directory, databases), ...providersCombinations(document, demo));
  faults.push(...withSources(all.filter((each) => !restsOn(each, faults))));
  if (faults.length > 0) throw new ConfigurationError(faults);

  const { databaseUrl: _url, databaseReadUrls: _readUrls, dataDir, throttle: _throttle, ...rest } = document;
  const demoMasterKeyFile = demo && document.encryption.masterKey === undefined ? resolve(dataDir, "master.key") : null;
  const demoFolder = demo ? resolve(dataDir) : null;
  const files = { ...document.files, directory: resolve(document.files.directory ?? resolve(dataDir, "files")) };
  const docs = { enabled: document.docs.enabled ?? !production };
  const automatic = whyOneProcess(databases, demo) === null ? availableParallelism() : 1;
  const { workers } = document.server;
  const server = { ...document.server, workers: workers === "auto" ? automatic : workers };
  const { directory: _directory, ...macros } = {
    ...document.macros,
    watch: document.macros.watch ?? !production,
    threads: document.macros.threads,
  };
  const debugMessages = document.debugMessages ?? (demo || nodeEnvironment === "development");
  const oAuthProviders = (document.oAuthProviders ?? []).map(({ name }) => name);
  const configuration = {
    ...rest,
    server,
    debugMessages,
    docs,
    files,
    macros,
    mail: mailOf(document.mail),
    oAuthProviders,
    databases,
    demo,
    demoMasterKeyFile,
    demoFolder,
    production,
    file,
    secretFiles: [read.secretFiles, secretFilesOf(document), demoMasterKeyFile ?? []].flat(),
  };
  return deepFreeze({
    ...configuration,
    warnings: [
      ...remaining.warnings,
      ...environmentWarnings(environment),
      ...warningsAbout(configuration),
      ...macroWarnings(document.macros.directory, demo),
    ],
  });
}

/** The files with secrets that settings name. */
function secretFilesOf({ encryption, server, databases = [] }: ConfigurationDocument): string[] {
  const urls = databases.map(({ storage }) => storage?.urlFile);
  const files = [encryption.rsaKeyFile, encryption.jwtKeyFile, server.tls.keyFile, ...urls];
  return files.filter((file) => file !== undefined);
}

/** Adds the settings of the demo. */
function withDemo(raw: Record<string, unknown>, onServer: boolean, dataDir: string): Record<string, unknown> {
  const [macros, mail, ofConsole] = [raw["macros"], raw["mail"], raw["console"]].map((section) =>
    isRecord(section) ? section : {},
  );
  const directory = demoMacros();
  const files = mail?.["smtp"] === undefined ? { directory: resolve(dataDir, "mail") } : {};
  return {
    ...raw,
    databases: demoDatabases(onServer),
    mail: { ...files, ...mail },
    console: { ...demoConsole, ...ofConsole },
    oAuthProviders: providerTypes.map((name) => ({ name })),
    ...(directory === null ? {} : { macros: { directory, ...macros } }),
  };
}

/** Another directory replaces the sample macros that the README and the guides use. */
function macroWarnings(directory: string | undefined, demo: boolean): string[] {
  const samples = demoMacros();
  if (!demo || samples === null || directory === undefined || resolve(directory) === samples) return [];
  return [
    `macros.directory (MACROS_DIR): the sample macros of the demo are not loaded. To keep them, copy them from ${samples} into your directory.`,
  ];
}

/** The demo keeps keys and mail there, with every storage. */
function* dataDirFaults({ dataDir }: ConfigurationDocument): Generator<Fault> {
  const reason = folderProblem(dataDir, { mayBeMissing: true, written: true });
  if (reason !== null) yield { path: "dataDir", reason };
}

function fileOf({ file, content }: ConfigurationSources, environment: Environment): string | null {
  if (file !== undefined || content !== undefined) return file ?? null;
  return environment["SALLYPORT_CONFIG"] || (existsSync(defaultFile) ? defaultFile : null);
}

/** Whether an invalid combination involves a value that is already invalid. */
function restsOn({ path, against = [] }: InvalidCombination, faults: readonly Fault[]): boolean {
  const inside = (one: string, other: string): boolean =>
    one === other || one.startsWith(`${other}.`) || one.startsWith(`${other}[`);
  return [path, ...against].some((each) =>
    faults.some((fault) => inside(each, fault.path) || inside(fault.path, each)),
  );
}

/** Adds the environment variable of the value, or the one that can set it. */
function withSource(fault: Fault, values: EnvironmentValues["values"], raw: object): Fault {
  const field = fault.path.replace(/\[.*$/, "");
  const env =
    fault.env ??
    values.get(fault.path)?.env ??
    values.get(field)?.env ??
    (isGiven(raw, fault.path) ? undefined : variableOf(fault.path));
  return env === undefined ? fault : { ...fault, env };
}

function isGiven(raw: unknown, path: string): boolean {
  return path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), raw) !== undefined;
}

function variableOf(path: string): string | undefined {
  return (
    Array.from(walkFields(configurationSchema)).find((field) => field.path.join(".") === path)?.facts.env ?? undefined
  );
}

/** A typo must not turn a production server into the demo. */
function unknownNodeEnvironment(value: string): ConfigurationError {
  const suggestion = didYouMean(value, nodeEnvironments);
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  return new ConfigurationError([
    { path: "", reason: `NODE_ENV: must be production, development, test or unset, not "${value}".${hint}` },
  ]);
}

function nothingConfigured(production: boolean): ConfigurationError {
  const why = production ? "NODE_ENV is production" : "HOST is not a loopback address";
  const reason = `No configuration was found, and ${why}. Set DATABASE_URL or DATABASE_URL_FILE to a Postgres or MariaDB connection string, or pass a configuration file with --config or SALLYPORT_CONFIG. To start the demo, unset NODE_ENV and HOST.`;
  return new ConfigurationError([{ path: "", reason }]);
}

function put(raw: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    raw[name] = value;
    return;
  }
  raw[name] ??= {};
  // The shape check reports a value that is not a section.
  if (isRecord(raw[name])) put(raw[name], rest, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Freezes an object recursively. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
