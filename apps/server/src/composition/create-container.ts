import "reflect-metadata";
import { Container } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { DemoProviders } from "../demo/index.ts";
import { databaseParts } from "./bindings/databases.ts";
import { httpParts } from "./bindings/http.ts";
import { keyParts } from "./bindings/keys.ts";
import { macroParts } from "./bindings/macros.ts";
import { mailParts } from "./bindings/mail.ts";
import { operationsParts } from "./bindings/operations.ts";
import { providerParts } from "./bindings/providers.ts";
import { userParts } from "./bindings/users.ts";
import { bind, parts, type Recipe, type Recipes } from "./parts.ts";
import { StorageEngines } from "./storages/storage-engines.ts";
import { bindUseCases } from "./use-cases.ts";

type Given = "configuration" | "logger" | "engines" | "demoProviders";

const recipes = {
  ...keyParts,
  ...databaseParts,
  ...userParts,
  ...macroParts,
  ...mailParts,
  ...providerParts,
  ...operationsParts,
  ...httpParts,
} satisfies Required<Omit<Recipes, Given | "useCases">>;

/**
 * Creates the dependency injection container. Some parts are asynchronous, so use `getAsync`. Only the given engines
 * open storages. Fake providers must already be running.
 */
export function createContainer(
  configuration: Configuration,
  logger: Logger,
  engines: StorageEngines = new StorageEngines(),
  demoProviders: DemoProviders | null = null,
): Container {
  const container = new Container({ defaultScope: "Singleton" });
  const given = { configuration, logger, engines, demoProviders };
  for (const [name, value] of Object.entries(given))
    container.bind<unknown>(parts[name as Given]).toConstantValue(value);
  for (const [name, recipe] of Object.entries<Recipe<unknown>>(recipes))
    bind(container, parts[name as keyof typeof recipes], recipe);
  bindUseCases(container);
  return container;
}
