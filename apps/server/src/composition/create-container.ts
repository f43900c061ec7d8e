import "reflect-metadata";
import { Container } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { DemoProviders } from "../demo/index.ts";
import { bindCustomUsers, bindEntry, bindPasswords, bindSecondFactors } from "./bindings/bind-users.ts";
import { bindDatabases } from "./bindings/bind-databases.ts";
import { bindHttp } from "./bindings/bind-http.ts";
import { bindKeys, bindSecrets } from "./bindings/bind-keys.ts";
import { bindMacros } from "./bindings/bind-macros.ts";
import { bindMail } from "./bindings/bind-mail.ts";
import { bindOperations } from "./bindings/bind-operations.ts";
import { bindProviders } from "./bindings/bind-providers.ts";
import { identifiers } from "./identifiers.ts";
import { bindUseCases } from "./use-cases.ts";
import { StorageEngines } from "./storages/storage-engines.ts";

/**
 * Knows how everything is made. Some of it is made asynchronously, so ask with `getAsync`. Storages come from the engines
 * given; no configuration chooses others. Imitations of providers, too, are those that somebody has started before.
 */
export function createContainer(
  configuration: Configuration,
  logger: Logger,
  engines: StorageEngines = new StorageEngines(),
  demoProviders: DemoProviders | null = null,
): Container {
  const container = new Container({ defaultScope: "Singleton" });
  container.bind(identifiers.configuration).toConstantValue(configuration);
  container.bind(identifiers.logger).toConstantValue(logger);
  container.bind(identifiers.engines).toConstantValue(engines);
  container.bind(identifiers.demoProviders).toConstantValue(demoProviders);
  bindSecrets(container);
  bindKeys(container);
  bindDatabases(container);
  bindEntry(container);
  bindPasswords(container);
  bindSecondFactors(container);
  bindUseCases(container);
  bindCustomUsers(container);
  bindMacros(container);
  bindMail(container);
  bindProviders(container);
  bindOperations(container);
  bindHttp(container);
  return container;
}
