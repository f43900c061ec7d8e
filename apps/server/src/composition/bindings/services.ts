import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import { decodeUtf8 } from "@sallyport/http";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { ServedDatabaseExaminer } from "../../doctor/database-examiner.ts";
import { macroLimits } from "../../macros/macro-folders.ts";
import type { Tuning } from "../tuning.ts";
import { classFactory, components, type Factories, functionFactory, functionFactoryByName } from "../components.ts";

const { configuration, digests, keyRings, macroRuntime } = components;
const { callbackAddresses, providerSealing, supportedProviders } = components;

/** The services of use cases: all together for requests, and those of other bindings that use cases alone need. */
export const serviceFactories = {
  settings: functionFactory(settingsOf, [configuration, components.tuning]),
  userGuard: functionFactory(() => core.administratorGuard, []),
  changeWatch: classFactory(core.ChangeWatch, [components.after]),
  moduleInspector: functionFactory(
    (runtime, configured) => new core.ModuleInspector(runtime, macroLimits(configured)),
    [macroRuntime, configuration],
  ),
  passwordMessages: functionFactory(
    (rings, credentials, digest) =>
      new core.PasswordMessages({ keyRings: rings, credentials, digests: digest, decodeText: decodeUtf8, pause }),
    [keyRings, components.credentialsCipher, digests],
  ),
  databaseExaminer: functionFactory(
    (configured, served, engines, rings, registration) =>
      new ServedDatabaseExaminer({
        configuration: configured,
        databases: served.configurations,
        engines,
        keyRings: rings,
        listProviders: (context) => core.listProviders({ ...context, services: registration }),
      }),
    [configuration, components.databases, components.engines, keyRings, components.registration],
  ),
  registration: functionFactoryByName((services: core.RegistrationServices) => services, {
    supportedProviders,
    providerSealing,
    callbackAddresses,
    settings: components.settings,
  }),
  services: functionFactoryByName((services: core.Services) => services, {
    callbackAddresses,
    changeWatch: components.changeWatch,
    channelSecrets: components.channelSecrets,
    cursorSealing: components.cursorSealing,
    databaseExaminer: components.databaseExaminer,
    factorProofs: components.factorProofs,
    factorSecrets: components.factorSecrets,
    fileLinks: components.fileLinks,
    gate: components.gate,
    hashes: components.hashes,
    hasher: components.hasher,
    indexKeeper: components.indexKeeper,
    keyRings,
    keySupply: components.keySupply,
    keyWrapping: components.keyWrapping,
    licenceMessages: components.licenceMessages,
    logInMessages: components.logInMessages,
    macroReports: components.macroReports,
    macroRunner: components.macroRunner,
    objectHooks: components.objectHooks,
    outbox: components.outbox,
    passwordMessages: components.passwordMessages,
    passwordPolicy: components.passwordPolicy,
    providerSealing,
    random: components.random,
    registeredProviders: components.registeredProviders,
    settings: components.settings,
    slowQueries: components.slowQueries,
    supportedProviders,
    syncSchemas: components.syncSchemas,
    timeTokens: components.timeTokens,
    tokens: components.tokens,
    uploadHashes: components.uploadHashes,
    userGuard: components.userGuard,
  }),
} satisfies Factories;

function settingsOf(
  { mail, oAuthProviders, passwords, providers: { maxPendingLogins } }: Configuration,
  tuning: Tuning,
): core.Settings {
  return {
    customPasswordMinLength: passwords.customUserMinLength,
    enabledProviders: oAuthProviders,
    mailLanguage: mail.language,
    passwordHistory: passwords.history,
    pendingProviderLogIns: { perOwner: maxPendingLogins.perIp, total: tuning.providers.pendingLogIns },
    resetsPerNetwork: passwords.resetsPerIp,
  };
}

/** Services that a command needs, by name. Others are not created. */
export interface CommandServices extends core.Services {
  readonly moduleInspector: core.ModuleInspector;
}

/** Creates the named services. */
export async function servicesOf<Name extends keyof CommandServices>(
  container: Container,
  names: readonly Name[],
): Promise<Pick<CommandServices, Name>> {
  const made: Partial<Record<Name, unknown>> = {};
  for (const name of names) made[name] = await container.getAsync<unknown>(components[name]);
  return made as Pick<CommandServices, Name>;
}
