import { availableParallelism } from "node:os";
import type { ProviderType, SessionPolicy, ThrottlePolicy } from "@sallyport/storage";
import type { ClientHash, DevicePolicy, RatePolicy } from "@sallyport/core";
import type { ConfigurationDocument } from "./schema/configuration-schema.ts";
import { isLoopbackHost } from "./schema/network-texts.ts";

/** A connection pool. Databases on one server share it. Times are milliseconds. */
export interface PoolConfiguration {
  readonly max: number;
  readonly acquireTimeout: number;
  readonly maxWaiting: number;
}

/** Storage on a database server. */
export interface ServerStorage {
  readonly engine: "postgres" | "mariadb";
  /** Secret. */
  readonly url: string;
  /** Standbys that answer lists. Secret. Empty on MariaDB. */
  readonly readUrls: readonly string[];
  /** On MariaDB, the name of the database. */
  readonly schema: string;
  readonly pool: PoolConfiguration;
  /** Milliseconds. */
  readonly statementTimeout: number;
  /** Postgres only. */
  readonly afterLossyFailover?: "refuse" | "warn";
}

export interface EmbeddedStorage {
  readonly engine: "embedded";
  /** Absolute path. */
  readonly dataDir: string;
  readonly schema: string;
  /** Milliseconds. */
  readonly statementTimeout: number;
}

interface MemoryEngine {
  readonly engine: "memory";
}

export interface ModuleStorage {
  readonly engine: "module";
  /** Absolute path, or name of a package. */
  readonly module: string;
  /** Secret, because only the module knows which options are. */
  readonly options: Readonly<Record<string, unknown>>;
}

export type StorageConfiguration = ServerStorage | EmbeddedStorage | MemoryEngine | ModuleStorage;

/** One database with the server-wide defaults applied. */
export interface DatabaseConfiguration {
  readonly alias: string;
  readonly name: string;
  readonly timeZone: string;
  /** `null` if the database is configured without storage. */
  readonly storage: StorageConfiguration | null;
  readonly migrateOnStart: boolean;
  readonly clientHash: ClientHash;
  readonly sessions: SessionPolicy;
  readonly rates: RatePolicy;
  readonly locks: { readonly perSession: number };
  readonly objects: { readonly recycleBinPerUser: number };
  readonly devices: Pick<DevicePolicy, "policy">;
  readonly throttle: {
    readonly user: Pick<ThrottlePolicy, "maxFailures" | "maxDelay">;
    readonly ip: Pick<ThrottlePolicy, "maxFailures">;
  };
  readonly audit: { readonly retention: number };
  readonly explanations: { readonly retention: number };
  readonly sync: { readonly tombstones: number };
  /** `directory`: absolute path; `null` if all macros are stored in the database. */
  readonly macros: { readonly directory: string | null };
  /** Public. */
  readonly console: Partial<Pick<ConfigurationDocument["console"], "label" | "color" | "appKey">>;
}

/** Server-wide limits of macros. The directories belong to the databases. */
interface MacrosConfiguration extends Omit<ConfigurationDocument["macros"], "directory" | "watch" | "threads"> {
  readonly watch: boolean;
  /** `undefined` selects the default for the machine. */
  readonly threads: number | undefined;
}

/** Uploaded files: limits of each database, and where they are. */
export interface FilesConfiguration extends Omit<ConfigurationDocument["files"], "directory"> {
  /** Absolute path. */
  readonly directory: string;
}

/** The validated and frozen configuration. Times are milliseconds. */
export interface Configuration
  extends Omit<
    ConfigurationDocument,
    | "server"
    | "databases"
    | "databaseUrl"
    | "databaseReadUrls"
    | "dataDir"
    | "throttle"
    | "docs"
    | "files"
    | "macros"
    | "mail"
    | "oAuthProviders"
    | "debugMessages"
  > {
  /** `workers`: more than one only if several processes can use every database. */
  readonly server: Omit<ConfigurationDocument["server"], "workers"> & { readonly workers: number };
  readonly databases: readonly DatabaseConfiguration[];
  readonly docs: { readonly enabled: boolean };
  readonly administration: { readonly enabled: boolean };
  readonly files: FilesConfiguration;
  /** Whether failures carry `debugMessage`. */
  readonly debugMessages: boolean;
  readonly macros: MacrosConfiguration;
  readonly mail: MailConfiguration;
  /** The enabled identity providers, without duplicates. */
  readonly oAuthProviders: readonly ProviderType[];
  /** Whether this is the demo, which starts without a configuration. */
  readonly demo: boolean;
  /** File of the generated master key of the demo; `null` if a key is configured or this is not the demo. */
  readonly demoMasterKeyFile: string | null;
  /** Directory of the keys that the demo generates; `null` if this is not the demo. */
  readonly demoFolder: string | null;
  /** Whether `NODE_ENV` is `production`. */
  readonly production: boolean;
  /** Path of the configuration file; `null` without one. */
  readonly file: string | null;
  /** Files that contain keys or other secrets. */
  readonly secretFiles: readonly string[];
  /** Warnings about valid but probably unintended settings. */
  readonly warnings: readonly string[];
}

/** The share of a worker in the processors of this machine, at least one. */
export function processorsPerWorker({ server: { workers } }: Pick<Configuration, "server">): number {
  return Math.max(1, Math.floor(availableParallelism() / workers));
}

type MailDocument = ConfigurationDocument["mail"];

/** Mail settings with derived values. */
interface MailConfiguration extends Omit<MailDocument, "smtp"> {
  readonly smtp: Omit<MailDocument["smtp"], "port" | "security"> & {
    readonly port: number | undefined;
    readonly security: "tls" | "startTls" | "none" | undefined;
  };
}

const ports = { tls: 465, startTls: 587, none: 25 } as const;

/** Derives port and security of the SMTP server. Connections are encrypted except to loopback. */
export function mailOf({ smtp, ...rest }: MailDocument): MailConfiguration {
  if (smtp.host === undefined) return { ...rest, smtp: { ...smtp, port: undefined, security: undefined } };
  const usual = smtp.port === ports.tls ? "tls" : isLoopbackHost(smtp.host) ? "none" : "startTls";
  const security = smtp.security ?? usual;
  return { ...rest, smtp: { ...smtp, security, port: smtp.port ?? ports[security] } };
}
