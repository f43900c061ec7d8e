import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ObjectId, type ProviderType, type RecordedAuditEvent, ServiceError } from "@sallyport/storage";
import {
  administrationOf,
  type AuditPage,
  CallbackAddresses,
  Database,
  type Explanation,
  type Mailer,
  type ProviderData,
  readAudit,
  putProvider,
  createAppKey,
  explainRefusal,
} from "@sallyport/core";
import { createServer, routeTable, administrationTable } from "@sallyport/http";
import { identityProviders } from "@sallyport/identity-passport";
import type { Container } from "inversify";
import { servicesOf } from "../composition/bindings/services.ts";
import { components, functionFactory, type Factories } from "../composition/components.ts";
import { createContainer } from "../composition/create-container.ts";
import { openParts, type ServerParts } from "../composition/server-parts.ts";
import { ConnectionDrain, serverLimits } from "../composition/start-server.ts";
import { suppliedKeys } from "../composition/supplied-files.ts";
import { tuningInTests as tuning } from "../composition/tuning.ts";
import { type Configuration, loadConfiguration, readModelFile } from "../configuration/index.ts";
import { databaseMacros, macroLimits } from "../macros/macro-folders.ts";
import { createLogger } from "../monitoring/create-logger.ts";
import { allObservers, RequestLog } from "../monitoring/request-log.ts";
import { AnsweredRequests } from "./answered-requests.ts";
import { FailurePlan } from "./failure-plan.ts";
import { PromptRefusals } from "./prompt-refusals.ts";
import { initialModel, type Seed, SeedFault, seedDatabase } from "./seed.ts";
import { embeddedStorages, postgresStorages } from "./storages/sql-storages.ts";
import { memoryStorages, moduleStorages, type TestStorage, type TestStorages } from "./storages/test-storages.ts";
import { TestClock } from "./test-clock.ts";
import { SharedServerKeys } from "./test-keys.ts";
import { ServerTimers } from "./server-timers.ts";

type Settings = Readonly<Record<string, unknown>>;

export interface TestServerOptions {
  /** Content by alias. `demo`: that of the demo. */
  readonly databases: Readonly<Record<string, Seed | "demo">>;
  readonly storage: TestStorage;
  /** As in a configuration file, without databases. */
  readonly configuration: Settings;
  /** Replaces the mail transport. */
  readonly mailer: Mailer | null;
}

export interface ProviderRegistration {
  readonly type: ProviderType;
  readonly name: string;
  readonly data: ProviderData;
  readonly appNames: readonly string[];
  /** The user of unlinked accounts; `null` for none. */
  readonly defaultUserId?: string | null;
}

/** A service in this process, with its clock, timers and failures under control. Only tests can start one. */
export class TestServer {
  readonly answered: AnsweredRequests;
  readonly failures: FailurePlan;
  readonly clock: TestClock;
  readonly timers: ServerTimers;
  private readonly ids = new Map<string, ReadonlyMap<string, ObjectId>>();
  private seeded: ReadonlyMap<string, ReadonlyMap<string, ObjectId>> = new Map();
  private restore: () => Promise<void> = async () => {};
  private readonly server: ReturnType<typeof createServer>;
  private listening: Promise<string> | undefined;
  private closing: Promise<void> | undefined;

  constructor(private readonly inside: Inside) {
    const { container, parts, configuration } = inside;
    ({ answered: this.answered, failures: this.failures, clock: this.clock } = inside);
    this.timers = new ServerTimers(container, parts.databases);
    const application = { ...parts.application, listener: this.listener };
    this.server = createServer(application, serverLimits(configuration, tuning), null);
  }

  /** Handles requests without a port. */
  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    this.answered.arrives(request, response);
    this.inside.parts.application.listener(request, response);
  };

  /** Migrates and fills the databases. */
  async prepare(content: TestServerOptions["databases"]): Promise<void> {
    const { container, parts } = this.inside;
    await this.renewDatabases();
    const found = await this.inside.storages.found();
    for (const [alias, seed] of Object.entries(content)) {
      const classes = await naming(alias, () => (seed === "demo" ? readModelFile() : initialModel(seed)));
      await this.database(alias).storage.migrate(classes);
    }
    await parts.prepare();
    for (const [alias, ids] of found ?? []) this.ids.set(alias, ids);
    for (const [alias, seed] of found === null ? Object.entries(content) : []) {
      if (seed === "demo") await (await container.getAsync(components.demoSeeder)).seed(this.database(alias));
      else await this.seed(alias, seed);
    }
    await this.keep();
  }

  /** Keeps the current content for later resets. */
  async keep(): Promise<void> {
    this.seeded = new Map(this.ids);
    this.restore = await this.inside.storages.keep(this.seeded);
  }

  /** Registers an identity provider. `data` as in `sallyport --local provider add`. */
  async registerProvider(alias: string, { type, ...entry }: ProviderRegistration): Promise<void> {
    const { container } = this.inside;
    const providers = await container.getAsync(components.supportedProviders);
    const provider = providers.get(type);
    if (provider === undefined) throw new TypeError(`There is no provider "${type}".`);
    const services = await container.getAsync(components.registration);
    await putProvider(
      { ...administrationOf(this.database(alias)), services },
      { provider, defaultUserId: null, ...entry },
    );
  }

  /** Creates an app key of scope `admin`. */
  async administrationKey(alias: string): Promise<string> {
    const services = await servicesOf(this.inside.container, ["random"]);
    const usual = { appNames: null, origins: [], returnAddresses: [], key: null } as const;
    const name = `test ${randomUUID()}`;
    return createAppKey({ ...administrationOf(this.database(alias)), services }, { ...usual, name, scope: "admin" });
  }

  /** All events of the audit, oldest first. */
  async audit(alias: string): Promise<readonly RecordedAuditEvent[]> {
    const events: RecordedAuditEvent[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: AuditPage = await readAudit(administrationOf(this.database(alias)), { after, limit: 10_000 });
      events.push(...page.events);
      after = page.next;
    }
    return events;
  }

  /** The name of a user, group or object of the seed by its id; `null` for another one. */
  nameOf(alias: string, id: string): string | null {
    for (const [name, each] of this.ids.get(alias) ?? []) if (each === id) return name;
    return null;
  }

  /** Adds content, except classes. */
  async seed(alias: string, seed: Omit<Seed, "classes">): Promise<void> {
    const { container } = this.inside;
    const database = this.database(alias);
    this.ids.set(alias, await naming(alias, () => seedDatabase(container, database, seed, this.ids.get(alias))));
  }

  /** The id of a named user, group or object of the seed. Throws a `TypeError` for an unknown name. */
  idOf(alias: string, name: string): ObjectId {
    const id = this.ids.get(alias)?.get(name);
    if (id === undefined) throw new TypeError(`The seed of the database "${alias}" contains no "${name}".`);
    return id;
  }

  database(alias: string): Database {
    const database = this.inside.parts.databases.get(alias);
    if (!database) throw new TypeError(`There is no database with the alias "${alias}".`);
    return database;
  }

  /** Listens on loopback and returns the URL. `port`: default any. Rejects if the port is in use. */
  listen(port = 0): Promise<string> {
    return (this.listening ??= this.startListening(port));
  }

  private async startListening(port: number): Promise<string> {
    this.server.listen(port, "127.0.0.1").unref();
    await once(this.server, "listening");
    const { configuration, container } = this.inside;
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${configuration.server.basePath}`;
    (await container.getAsync(components.callbackAddresses)).listening(url);
    return url;
  }

  /** Restores the content, the clock and the state of the process as after the start. */
  async reset(): Promise<void> {
    const { refusals, keys } = this.inside;
    await refusals.settled();
    await this.timers.run("traffic");
    this.failures.clear();
    this.clock.reset();
    await this.restore();
    keys.reset();
    this.ids.clear();
    for (const [alias, ids] of this.seeded) this.ids.set(alias, ids);
    await this.renewDatabases();
  }

  /** Why a request was refused; `null` if no refusal with this id is stored. */
  async why(alias: string, requestId: string): Promise<Explanation | null> {
    await this.inside.refusals.settled();
    return explainRefusal({ r: this.database(alias).storage.repositories }, requestId);
  }

  close(): Promise<void> {
    return (this.closing ??= this.stop());
  }

  private async stop(): Promise<void> {
    const { parts, directory } = this.inside;
    parts.stopTimers();
    await new ConnectionDrain([this.server], parts.application).run({ delay: 0, timeout: 1_000 });
    await parts.release();
    await rm(directory, { recursive: true, force: true });
  }

  /** The databases without the caches of this process. */
  private async renewDatabases(): Promise<void> {
    const { container, parts, configuration, clock } = this.inside;
    const { databases } = parts;
    const macros = {
      folders: await container.getAsync(components.macroFolders),
      runtime: await container.getAsync(components.macroRuntime),
      reports: await container.getAsync(components.macroReports),
      limits: macroLimits(configuration),
    };
    for (const each of configuration.databases) {
      const database = databases.get(each.alias);
      if (database)
        databases.set(each.alias, new Database({ ...database, now: clock.now, macros: databaseMacros(each, macros) }));
    }
  }
}

/** Rejects with a `TypeError` if the service refuses the content. */
async function naming<T>(alias: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ServiceError || cause instanceof SeedFault)) throw cause;
    const reason = cause instanceof ServiceError ? (cause.detail ?? cause.message) : cause.message;
    throw new TypeError(`The content of the database "${alias}" cannot be used: ${reason}`, { cause });
  }
}

interface Inside {
  readonly container: Container;
  readonly parts: ServerParts;
  readonly configuration: Configuration;
  readonly storages: TestStorages;
  readonly clock: TestClock;
  readonly failures: FailurePlan;
  readonly answered: AnsweredRequests;
  readonly refusals: PromptRefusals;
  readonly keys: SharedServerKeys;
  /** For files. */
  readonly directory: string;
}

/** Starts a service for tests. It listens on demand. */
export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const clock = new TestClock();
  const directory = await mkdtemp(join(tmpdir(), "sallyport-test-"));
  const undo: (() => Promise<void>)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    const storages = await storagesOf(options, clock, directory);
    undo.unshift(() => storages.engines.close());
    const server = await serverOn(storages, options, clock, directory);
    undo.unshift(() => server.close());
    await server.prepare(options.databases);
    return server;
  } catch (error) {
    for (const each of undo) await each().catch(() => {});
    throw error;
  }
}

async function serverOn(
  storages: TestStorages,
  options: TestServerOptions,
  clock: TestClock,
  directory: string,
): Promise<TestServer> {
  const configuration = configurationOf(options, storages, directory);
  const answered = new AnsweredRequests();
  const failures = new FailurePlan({ after: clock.after, answered });
  const keys = new SharedServerKeys();
  const refusals = new PromptRefusals(tuning.explanationsPerSecond, () => {});
  const { logger } = createLogger(configuration);
  const { publicUrl = unknownAddress } = configuration.server;
  const replaced: Factories = {
    tuning: functionFactory(() => tuning, []),
    now: functionFactory(() => clock.now, []),
    after: functionFactory(() => clock.after, []),
    refusalWriter: functionFactory(() => refusals, []),
    observer: functionFactory(
      (measured) => allObservers(new RequestLog(logger), measured, answered),
      [components.metrics],
    ),
    routes: functionFactory(
      () => failures.wrap([...routeTable(), ...(configuration.administration.enabled ? administrationTable() : [])]),
      [],
    ),
    keySupply: functionFactory(
      (wrapping) => ({
        wrapping,
        serverKeys: keys,
        rsaBits: 2048 as const,
        supplied: suppliedKeys(configuration, keys),
      }),
      [components.keyWrapping],
    ),
    // Keys of the fakes change at any time.
    supportedProviders: functionFactory(() => {
      const { fakeUrl = null, ...settings } = configuration.providers;
      return identityProviders({ ...settings, ...tuning.providers, fakeProviders: fakeUrl, unknownKeyPause: 0 });
    }, []),
    callbackAddresses: functionFactory(
      () => new CallbackAddresses(publicUrl === unknownAddress ? null : publicUrl),
      [],
    ),
    ...(options.mailer === null ? {} : { mailer: functionFactory(() => options.mailer, []) }),
  };
  const container = createContainer(configuration, logger, storages.engines, null, null, replaced);
  const parts = await openParts(container);
  const inside = { container, parts, configuration, storages, clock, failures, answered, refusals, keys, directory };
  return new TestServer(inside);
}

function storagesOf(
  { storage, databases, configuration }: TestServerOptions,
  clock: TestClock,
  directory: string,
): TestStorages | Promise<TestStorages> {
  if (storage === "memory") return memoryStorages(clock);
  if (typeof storage === "object" && "module" in storage) return moduleStorages(clock, storage);
  const aliases = Object.keys(databases);
  if (storage === "embedded") return embeddedStorages(clock, aliases, directory);
  // The bytes of the demo's documents are outside the database. Hashes of passwords depend on the settings.
  const content = Object.values(databases).includes("demo")
    ? null
    : JSON.stringify([databases, configuration["passwords"] ?? null]);
  return postgresStorages(clock, aliases, { url: storage.postgres, content });
}

/** Stands for the URL of the service, which is known when it listens. Identity providers require one in the settings. */
const unknownAddress = "http://127.0.0.1:9";

/** Settings of tests: cheap hashes, no log, and a master key. */
function configurationOf(
  { databases, configuration: settings }: TestServerOptions,
  storages: TestStorages,
  directory: string,
): Configuration {
  const usual = {
    server: { publicUrl: unknownAddress },
    log: { level: "silent" },
    passwords: { argon2: { memoryCost: 8, timeCost: 1 } },
    encryption: { masterKey: randomBytes(32).toString("base64") },
    files: { directory: join(directory, "files") },
    macros: { watch: false },
  };
  const content = {
    ...mergedSettings(usual, settings),
    databases: Object.entries(databases).map(([alias, seed]) => ({
      alias,
      name: alias === "" ? "test" : alias,
      storage: storages.place(alias),
      ...(seed !== "demo" && typeof seed.macros === "string" ? { macros: { directory: seed.macros } } : {}),
    })),
  };
  return loadConfiguration({ content, environment: {} });
}

/** Settings with those of another object, which replace the same ones. */
export function mergedSettings(usual: Settings, settings: Settings): Settings {
  const names = new Set([...Object.keys(usual), ...Object.keys(settings)]);
  return Object.fromEntries(Array.from(names, (name) => [name, merged(usual[name], settings[name])]));
}

function merged(usual: unknown, settings: unknown): unknown {
  if (isSection(usual) && isSection(settings)) return mergedSettings(usual, settings);
  return settings === undefined ? usual : settings;
}

function isSection(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
