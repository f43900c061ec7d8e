import type * as core from "@sallyport/core";
import type { Digests, FileCipher, ProviderType, RandomSource } from "@sallyport/storage";
import type { RsaCredentialsCipher, ThreadHashes } from "@sallyport/crypto";
import type * as http from "@sallyport/http";
import type { Container, MapToResolvedValueInjectOptions, ServiceIdentifier } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { DemoProviders } from "../demo/index.ts";
import type { MacroFolders } from "../macros/macro-folders.ts";
import type { HttpLicenceReceiver } from "../licences/http-licence-receiver.ts";
import type { DatabaseOpener } from "../databases/database-opener.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";
import type { FileKeeper } from "../background/file-keeper.ts";
import type { CountedPasswordHasher, Metrics } from "../monitoring/metrics.ts";
import type { IndexKeeper } from "../background/index-keeper.ts";
import type { OutboxNotifier, OutboxRelay } from "../background/outbox-relay.ts";
import type { RefusalWriter } from "../monitoring/refusal-writer.ts";
import type { ServerMonitoring } from "../monitoring/server-monitoring.ts";
import type { BanTimer } from "../background/ban-timer.ts";
import type { TrafficWriter } from "../monitoring/traffic-writer.ts";
import type { Sweeper } from "../background/sweeper.ts";
import type { WriterWatch } from "../background/writer-watch.ts";
import type { WorkerLink } from "../processes/worker-link.ts";
import type { DatabasePreparation } from "./storages/database-preparation.ts";
import type { DemoAdministrationKeys, DemoProviderEntries, DemoSeeder } from "./storages/demo-data.ts";
import type { FileStores } from "./storages/file-stores.ts";
import type { StorageEngines } from "./storages/storage-engines.ts";
import type { Tuning } from "./tuning.ts";

function named<T>(name: string): ServiceIdentifier<T> {
  return Symbol(name);
}

/** Identifiers of all components. A service of use cases has the same name there. */
export const components = {
  configuration: named<Configuration>("configuration"),
  logger: named<Logger>("logger"),
  tuning: named<Tuning>("tuning"),
  /** The link of a worker to its primary process; `null` in a server of one process. */
  worker: named<WorkerLink | null>("worker"),
  /** The clock of tokens, in milliseconds since 1970. */
  now: named<() => number>("now"),
  /** Timers of waits that requests see. */
  after: named<core.After>("after"),
  digests: named<Digests>("digests"),
  random: named<RandomSource>("random"),
  syncSchemas: named<core.SyncSchemas>("syncSchemas"),
  cursorSealing: named<core.CursorSealing>("cursorSealing"),
  keyWrapping: named<core.KeyWrapping | null>("keyWrapping"),
  keySupply: named<core.KeySupply>("keySupply"),
  keyRings: named<core.KeyRings>("keyRings"),
  channelSecrets: named<core.ChannelSecrets>("channelSecrets"),
  credentialsCipher: named<RsaCredentialsCipher>("credentialsCipher"),
  processorBudget: named<core.ProcessorBudget>("processorBudget"),
  logInMessages: named<core.LogInMessages>("logInMessages"),
  channelTraffic: named<core.ChannelTraffic>("channelTraffic"),
  tokens: named<core.Tokens>("tokens"),
  credentialReader: named<core.CredentialReader>("credentialReader"),
  hasher: named<CountedPasswordHasher>("hasher"),
  engines: named<StorageEngines>("engines"),
  databaseOpener: named<DatabaseOpener>("databaseOpener"),
  databases: named<ServedDatabases>("databases"),
  demoSeeder: named<DemoSeeder>("demoSeeder"),
  demoAdministrationKeys: named<DemoAdministrationKeys>("demoAdministrationKeys"),
  fileStores: named<FileStores>("fileStores"),
  fileKeeper: named<FileKeeper>("fileKeeper"),
  fileLinks: named<core.FileLinks>("fileLinks"),
  fileCipher: named<FileCipher>("fileCipher"),
  hashes: named<ThreadHashes>("hashes"),
  uploadHashes: named<core.UploadHashes>("uploadHashes"),
  preparation: named<DatabasePreparation>("preparation"),
  sweeper: named<Sweeper>("sweeper"),
  banTimer: named<BanTimer>("banTimer"),
  writerWatch: named<WriterWatch>("writerWatch"),
  indexKeeper: named<IndexKeeper>("indexKeeper"),
  timeTokens: named<core.TimeTokens>("timeTokens"),
  factorSecrets: named<core.FactorSecrets>("factorSecrets"),
  factorProofs: named<core.FactorProofs>("factorProofs"),
  gate: named<core.Gate>("gate"),
  passwordPolicy: named<core.PasswordPolicy>("passwordPolicy"),
  resetMail: named<core.ResetMail>("resetMail"),
  macroRuntime: named<core.MacroRuntime>("macroRuntime"),
  macroReports: named<core.MacroReports>("macroReports"),
  macroFolders: named<MacroFolders>("macroFolders"),
  macroForms: named<core.RequestForms>("macroForms"),
  macroRunner: named<core.MacroRunner>("macroRunner"),
  objectHooks: named<core.MacroHooks>("objectHooks"),
  mailer: named<core.Mailer | null>("mailer"),
  outbox: named<core.Outbox>("outbox"),
  outboxNotifier: named<OutboxNotifier>("outboxNotifier"),
  mailRelay: named<OutboxRelay<core.WaitingMailJob> | null>("mailRelay"),
  sealedMailJobs: named<core.SealedMailJobs>("sealedMailJobs"),
  deliverMail: named<core.DeliverMail | null>("deliverMail"),
  licenceReceiver: named<HttpLicenceReceiver | null>("licenceReceiver"),
  licenceDelivery: named<core.DeliverLicenceMessages | null>("licenceDelivery"),
  licenceNotifier: named<OutboxNotifier>("licenceNotifier"),
  licenceMessages: named<core.LicenceMessages>("licenceMessages"),
  licenceRelay: named<OutboxRelay<core.LicenceMessage> | null>("licenceRelay"),
  demoProviders: named<DemoProviders | null>("demoProviders"),
  demoProviderEntries: named<DemoProviderEntries | null>("demoProviderEntries"),
  supportedProviders: named<ReadonlyMap<ProviderType, core.IdentityProvider>>("supportedProviders"),
  providerSealing: named<core.ProviderSealing>("providerSealing"),
  callbackAddresses: named<core.CallbackAddresses>("callbackAddresses"),
  registeredProviders: named<core.RegisteredProviders>("registeredProviders"),
  publishedKeys: named<http.PublishedKeys>("publishedKeys"),
  playground: named<http.Playground | null>("playground"),
  console: named<http.Console | null>("console"),
  reach: named<http.ReachSettings>("reach"),
  services: named<core.Services>("services"),
  settings: named<core.Settings>("settings"),
  registration: named<core.RegistrationServices>("registration"),
  userGuard: named<core.UserGuard>("userGuard"),
  changeWatch: named<core.ChangeWatch>("changeWatch"),
  moduleInspector: named<core.ModuleInspector>("moduleInspector"),
  passwordMessages: named<core.PasswordMessages>("passwordMessages"),
  databaseExaminer: named<core.DatabaseExaminer>("databaseExaminer"),
  httpSettings: named<http.HttpSettings>("httpSettings"),
  routes: named<readonly http.Route[]>("routes"),
  /** Whether the application serves the operator alone, inside this process. */
  isForOperator: named<boolean>("isForOperator"),
  metrics: named<Metrics>("metrics"),
  monitoring: named<ServerMonitoring>("monitoring"),
  observer: named<http.RequestObserver>("observer"),
  refusalWriter: named<RefusalWriter>("refusalWriter"),
  trafficWriter: named<TrafficWriter>("trafficWriter"),
  slowQueries: named<core.SlowQueries>("slowQueries"),
  application: named<http.Application>("application"),
} as const;

/** How to create a component of type `T` from its dependencies. */
export interface Factory<T> {
  readonly make: (...dependencies: never) => T | Promise<T>;
  readonly dependencies: readonly ServiceIdentifier<unknown>[];
}

/** Factory that calls a constructor with positional dependencies. */
export function classFactory<T, Dependencies extends unknown[]>(
  Component: new (...dependencies: Dependencies) => T,
  dependencies: MapToResolvedValueInjectOptions<Dependencies>,
): Factory<T> {
  return functionFactory((...args: Dependencies) => new Component(...args), dependencies);
}

/** Factory that calls a constructor with named dependencies and the result of `settings`. */
export function classFactoryByName<
  T,
  Dependencies extends object,
  Settings extends Partial<Dependencies> = Record<never, never>,
>(
  Component: new (dependencies: Dependencies) => T,
  dependencies: {
    readonly [Name in keyof NoInfer<Dependencies> as Exclude<Name, keyof Settings>]: ServiceIdentifier<
      Dependencies[Name]
    >;
  },
  settings?: (configuration: Configuration) => Settings,
): Factory<T> {
  return functionFactoryByName<T, Dependencies, Settings>((parts) => new Component(parts), dependencies, settings);
}

/** Factory that calls a function with named dependencies and the result of `settings`. */
export function functionFactoryByName<
  T,
  Dependencies extends object,
  Settings extends Partial<Dependencies> = Record<never, never>,
>(
  create: (dependencies: Dependencies) => T,
  dependencies: {
    readonly [Name in keyof NoInfer<Dependencies> as Exclude<Name, keyof Settings>]: ServiceIdentifier<
      Dependencies[Name]
    >;
  },
  settings?: (configuration: Configuration) => Settings,
): Factory<T> {
  const names = Object.keys(dependencies);
  const make = (configuration: Configuration, ...args: unknown[]) => {
    const taken = Object.fromEntries(names.map((name, index) => [name, args[index]]));
    return create({ ...taken, ...settings?.(configuration) } as Dependencies);
  };
  return { make, dependencies: [components.configuration, ...Object.values<ServiceIdentifier<unknown>>(dependencies)] };
}

/** Factory that calls a function with positional dependencies. */
export function functionFactory<T, Dependencies extends unknown[]>(
  make: (...dependencies: Dependencies) => T | Promise<T>,
  dependencies: MapToResolvedValueInjectOptions<Dependencies>,
): Factory<T> {
  return { make, dependencies: dependencies as unknown as ServiceIdentifier<unknown>[] };
}

export function bind<T>(
  container: Container,
  identifier: ServiceIdentifier<T>,
  { make, dependencies }: Factory<T>,
): void {
  container.bind(identifier).toResolvedValue(make as (...dependencies: unknown[]) => T | Promise<T>, [...dependencies]);
}

type Components = typeof components;

/** Factories of some components. */
export type Factories = {
  readonly [Name in keyof Components]?: Factory<Components[Name] extends ServiceIdentifier<infer T> ? T : never>;
};
