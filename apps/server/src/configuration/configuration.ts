import type { ClientHash, ProviderType, SessionPolicy, ThrottlePolicy } from "@sallyport/core";
import type { ConfigurationDocument } from "./schema/configuration-schema.ts";
import { isLoopbackHost } from "./schema/network-texts.ts";

/** A connection pool; databases on one server share it. Times are milliseconds. */
export interface PoolConfiguration {
  readonly max: number;
  readonly acquireTimeout: number;
  readonly maxWaiting: number;
}

/** On a database server. */
export interface ServerStorage {
  readonly engine: "postgres" | "mariadb";
  /** Secret. */
  readonly url: string;
  /** On MariaDB the name of a database. */
  readonly schema: string;
  readonly pool: PoolConfiguration;
  /** Milliseconds. */
  readonly statementTimeout: number;
}

export interface EmbeddedStorage {
  readonly engine: "embedded";
  /** Absolute. */
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
  /** Secret, as nobody but the module knows what is in it. */
  readonly options: Readonly<Record<string, unknown>>;
}

export type StorageConfiguration = ServerStorage | EmbeddedStorage | MemoryEngine | ModuleStorage;

/** One database with everything that is common to all filled in. */
export interface DatabaseConfiguration {
  readonly alias: string;
  readonly name: string;
  readonly timeZone: string;
  /** `null`: it is known, but not set up yet. */
  readonly storage: StorageConfiguration | null;
  readonly migrateOnStart: boolean;
  readonly clientHash: ClientHash;
  readonly sessions: SessionPolicy;
  readonly locks: { readonly perSession: number };
  readonly objects: { readonly recycleBinPerUser: number };
  readonly throttle: { readonly user: ThrottlePolicy; readonly ip: ThrottlePolicy };
  readonly audit: { readonly retention: number };
  /** `directory`: absolute; `null` where there are no macros but those in the database. */
  readonly macros: { readonly directory: string | null };
}

/** What macros may use up. Their folders are those of the databases. */
interface MacrosConfiguration extends Omit<ConfigurationDocument["macros"], "directory" | "watch" | "threads"> {
  readonly watch: boolean;
  /** As many as the machine has room for, unless given. */
  readonly threads: number | undefined;
}

/** Everything that the server is told, checked and frozen. Times are milliseconds. */
export interface Configuration
  extends Omit<
    ConfigurationDocument,
    | "databases"
    | "databaseUrl"
    | "dataDir"
    | "throttle"
    | "docs"
    | "macros"
    | "mail"
    | "oAuthProviders"
    | "debugMessages"
  > {
  readonly databases: readonly DatabaseConfiguration[];
  readonly docs: { readonly enabled: boolean };
  /** Whether failures tell what exactly is wrong. */
  readonly debugMessages: boolean;
  readonly macros: MacrosConfiguration;
  readonly mail: MailConfiguration;
  /** The identity providers that are switched on, each once. */
  readonly oAuthProviders: readonly ProviderType[];
  /** Whether this is the demo, which nobody configured. */
  readonly demo: boolean;
  /** Where the demo keeps the master key that nobody gave it; `null` if there is one, or it is not the demo. */
  readonly demoMasterKeyFile: string | null;
  /** Where the demo keeps what it needs to imitate identity providers; `null` if they are not to be imitated, or it is not the demo. */
  readonly demoProvidersFolder: string | null;
  /** Whether `NODE_ENV` says production. */
  readonly production: boolean;
  /** The file it was read from. */
  readonly file: string | null;
  /** What is allowed, but probably not meant. */
  readonly warnings: readonly string[];
}

type MailDocument = ConfigurationDocument["mail"];

/** How mail is sent, with what follows from the rest filled in. */
interface MailConfiguration extends Omit<MailDocument, "smtp"> {
  readonly smtp: Omit<MailDocument["smtp"], "port" | "security"> & {
    readonly port: number | undefined;
    readonly security: "tls" | "startTls" | "none" | undefined;
  };
}

const ports = { tls: 465, startTls: 587, none: 25 } as const;

/** Fills in port and security of a relay: encrypted, unless it is on this machine. */
export function mailOf({ smtp, ...rest }: MailDocument): MailConfiguration {
  if (smtp.host === undefined) return { ...rest, smtp: { ...smtp, port: undefined, security: undefined } };
  const usual = smtp.port === ports.tls ? "tls" : isLoopbackHost(smtp.host) ? "none" : "startTls";
  const security = smtp.security ?? usual;
  return { ...rest, smtp: { ...smtp, security, port: smtp.port ?? ports[security] } };
}
