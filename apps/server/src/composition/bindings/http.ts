import {
  type ApplicationParts,
  createApplication,
  DatabaseKeys,
  type HttpSettings,
  type Playground,
  routeTable,
} from "@sallyport/http";
import type { Configuration } from "../../configuration/index.ts";
import { demoCredentials, holdsDemo } from "../../demo/index.ts";
import type { ServerOperations } from "../../operations/server-operations.ts";
import { by, byName, from, parts, type Recipes } from "../parts.ts";
import type { DemoSeeder } from "../storages/demo-data.ts";
import { version } from "../version.ts";

/** The HTTP adapter. */
export const httpParts = {
  httpSettings: by(settingsOf, [parts.configuration]),
  routes: by(routeTable, [parts.useCases]),
  publishedKeys: from(DatabaseKeys, { databases: parts.databases, keyRings: parts.keyRings }),
  playground: by(playgroundOf, [parts.configuration, parts.demoSeeder]),
  application: byName(
    ({ operations, ...needs }: ApplicationParts & { readonly operations: ServerOperations }) => {
      const application = createApplication({ operations, ...needs });
      operations.watch(application);
      return application;
    },
    {
      settings: parts.httpSettings,
      databases: parts.databases,
      routes: parts.routes,
      operations: parts.operations,
      observer: parts.observer,
      digests: parts.digests,
      credentialReader: parts.credentialReader,
      traffic: parts.channelTraffic,
      publishedKeys: parts.publishedKeys,
      playground: parts.playground,
    },
  ),
} satisfies Recipes;

/** The page shows the credentials of the demo where a database contains it. */
function playgroundOf({ docs }: Configuration, { states }: DemoSeeder): Playground | null {
  if (!docs.enabled) return null;
  const { appKey, apps, users } = demoCredentials;
  const access = { appKey, appNames: apps.map(({ name }) => name), users };
  return { demo: (alias) => (holdsDemo(states.get(alias)) ? access : null) };
}

function settingsOf({ server, compatibility, encryption, ...common }: Configuration): HttpSettings {
  const { basePath, maxRequestsInFlight, maxPipelinedRequests, maxIncompleteBodies, maxSendBufferBytes } = server;
  return {
    applicationName: common.applicationName,
    applicationVersion: version,
    basePath,
    maxRequestsInFlight,
    maxConnectionsPerIp: server.maxConnections.perIp,
    maxPipelinedRequests,
    maxIncompleteBodies,
    maxSendBufferBytes,
    sendTimeout: server.timeouts.send,
    bodyTimeout: server.timeouts.body,
    multiTimeout: server.timeouts.multi,
    debugMessages: common.debugMessages,
    plainAfterSecureLogin: compatibility.plainAfterSecureLogin,
    legacyPkcs1: encryption.legacyPkcs1,
    missingCredential: compatibility.missingCredential === "204" ? 204 : 200,
    allowInsecureTransport: server.allowInsecureTransport,
    trustedProxies: server.trustedProxies,
  };
}
