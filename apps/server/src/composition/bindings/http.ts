import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  administrationTable,
  type ApplicationParts,
  type Console,
  createApplication,
  DatabaseKeys,
  type HttpSettings,
  operatorTable,
  type Playground,
  type ReachSettings,
  routeTable,
} from "@sallyport/http";
import type { Configuration } from "../../configuration/index.ts";
import type { ServedDatabases } from "../../databases/served-databases.ts";
import { demoCredentials, containsDemo } from "../../demo/index.ts";
import type { ServerMonitoring } from "../../monitoring/server-monitoring.ts";
import {
  classFactoryByName,
  components,
  type Factories,
  functionFactory,
  functionFactoryByName,
} from "../components.ts";
import type { DemoSeeder } from "../storages/demo-data.ts";
import type { Tuning } from "../tuning.ts";
import { version } from "../version.ts";

/** The HTTP adapter. */
export const httpFactories = {
  isForOperator: functionFactory(() => false, []),
  httpSettings: functionFactory(settingsOf, [components.configuration, components.tuning]),
  routes: functionFactory(
    ({ administration }, isForOperator) =>
      isForOperator ? operatorTable() : [...routeTable(), ...(administration.enabled ? administrationTable() : [])],
    [components.configuration, components.isForOperator],
  ),
  publishedKeys: classFactoryByName(DatabaseKeys, { databases: components.databases, keyRings: components.keyRings }),
  playground: functionFactory(playgroundOf, [components.configuration, components.demoSeeder]),
  console: functionFactory(consoleOf, [components.configuration, components.databases, components.tuning]),
  reach: functionFactory(
    ({ console: { allow, listen } }): ReachSettings => ({ allow, hasListener: listen !== undefined }),
    [components.configuration],
  ),
  application: functionFactoryByName(
    ({ monitoring, ...needs }: ApplicationParts & { readonly monitoring: ServerMonitoring }) => {
      const application = createApplication({ monitoring, ...needs });
      monitoring.watch(application);
      return application;
    },
    {
      settings: components.httpSettings,
      services: components.services,
      databases: components.databases,
      routes: components.routes,
      monitoring: components.monitoring,
      observer: components.observer,
      refusalRecorder: components.refusalWriter,
      trafficRecorder: components.trafficWriter,
      digests: components.digests,
      credentialReader: components.credentialReader,
      traffic: components.channelTraffic,
      budget: components.processorBudget,
      publishedKeys: components.publishedKeys,
      playground: components.playground,
      console: components.console,
      reach: components.reach,
      isForOperator: components.isForOperator,
    },
  ),
} satisfies Factories;

/** The page shows the credentials of the demo where a database contains it. */
function playgroundOf({ docs }: Configuration, { states }: DemoSeeder): Playground | null {
  if (!docs.enabled) return null;
  const { appKey, apps, users } = demoCredentials;
  const access = { appKey, appNames: apps.map(({ name }) => name), users };
  return { demo: (alias) => (containsDemo(states.get(alias)) ? access : null) };
}

/** The built console: in the package of the server, or in its repository. */
const consoleFolders = ["../../../console", "../../../../console/dist"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The application needs the administration routes. A reload can change what it shows of a database. */
function consoleOf(
  { administration, console: { enabled, appName } }: Configuration,
  { configurations }: ServedDatabases,
  { consoleFolder }: Tuning,
): Console | null {
  if (!enabled || !administration.enabled) return null;
  const [inPackage, inRepository] = consoleFolders as [string, string];
  return {
    folder: consoleFolder ?? (existsSync(inPackage) ? inPackage : inRepository),
    look: (alias) => {
      const { label, color, appKey } = configurations.get(alias)?.console ?? {};
      return { label: label ?? null, color: color ?? null, appKey: appKey ?? null, appName: appName ?? null };
    },
  };
}

function settingsOf({ server, compatibility, encryption, ...common }: Configuration, { http }: Tuning): HttpSettings {
  const { basePath, maxRequestsInFlight } = server;
  const { shedding, maxPipelinedRequests, maxIncompleteBodies, maxSendBufferBytes, maxTransfers } = http;
  return {
    applicationName: common.applicationName,
    applicationVersion: version,
    basePath,
    publicUrl: server.publicUrl?.replace(/\/+$/, "") ?? null,
    maxRequestsInFlight,
    shedding,
    maxConnections: server.maxConnections,
    maxPipelinedRequests,
    maxIncompleteBodies,
    maxSendBufferBytes,
    maxTransfers,
    uploadPace: { silence: http.uploadSilence, minRate: server.minTransferRate },
    downloadPace: { silence: server.timeouts.send, minRate: server.minTransferRate },
    sendTimeout: server.timeouts.send,
    bodyTimeout: server.timeouts.body,
    multiTimeout: server.timeouts.multi,
    corsAllowedHeaders: common.cors.allowedHeaders.map((name) => name.toLowerCase()),
    debugMessages: common.debugMessages,
    plainAfterSecureLogin: compatibility.plainAfterSecureLogin,
    legacyPkcs1: encryption.legacyPkcs1,
    missingCredential: compatibility.missingCredential === "204" ? 204 : 200,
    allowInsecureTransport: server.allowInsecureTransport,
    trustedProxies: server.trustedProxies,
  };
}
