import "reflect-metadata";
import { Container } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { DemoProviders } from "../demo/index.ts";
import type { WorkerLink } from "../processes/worker-link.ts";
import { databaseFactories } from "./bindings/databases.ts";
import { httpFactories } from "./bindings/http.ts";
import { keyFactories } from "./bindings/keys.ts";
import { licenceFactories } from "./bindings/licences.ts";
import { macroFactories } from "./bindings/macros.ts";
import { mailFactories } from "./bindings/mail.ts";
import { monitoringFactories } from "./bindings/monitoring.ts";
import { providerFactories } from "./bindings/providers.ts";
import { serviceFactories } from "./bindings/services.ts";
import { userFactories } from "./bindings/users.ts";
import { bind, components, type Factories, type Factory, functionFactory } from "./components.ts";
import { StorageEngines } from "./storages/storage-engines.ts";
import { standardTuning } from "./tuning.ts";

type ValueName = "configuration" | "logger" | "engines" | "demoProviders" | "worker";

const factories = {
  tuning: functionFactory(() => standardTuning, []),
  ...keyFactories,
  ...databaseFactories,
  ...userFactories,
  ...macroFactories,
  ...mailFactories,
  ...licenceFactories,
  ...providerFactories,
  ...monitoringFactories,
  ...httpFactories,
  ...serviceFactories,
} satisfies Required<Omit<Factories, ValueName>>;

/**
 * Creates the dependency injection container. Some components are asynchronous, so use `getAsync`. Only the given engines
 * open storages. Fake providers must already be running. `replaced`: factories instead of the server's own, for tests.
 */
export function createContainer(
  configuration: Configuration,
  logger: Logger,
  engines: StorageEngines = new StorageEngines(),
  demoProviders: DemoProviders | null = null,
  worker: WorkerLink | null = null,
  replaced: Factories = {},
): Container {
  const container = new Container({ defaultScope: "Singleton" });
  const values = { configuration, logger, engines, demoProviders, worker };
  for (const [name, value] of Object.entries(values))
    container.bind<unknown>(components[name as ValueName]).toConstantValue(value);
  for (const [name, factory] of Object.entries<Factory<unknown>>({ ...factories, ...replaced }))
    bind(container, components[name as keyof typeof factories], factory);
  return container;
}
