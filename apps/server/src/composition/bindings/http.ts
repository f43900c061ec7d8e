import { createApplication, DatabaseKeys, type HttpSettings, type Playground, routeTable } from "@sallyport/http";
import type { Configuration } from "../../configuration/index.ts";
import { demoCredentials, holdsDemo } from "../../demo/index.ts";
import { by, from, parts, type Recipes } from "../parts.ts";
import type { DemoSeeder } from "../storages/demo-data.ts";
import { version } from "../version.ts";

/** The way in over HTTP. */
export const httpParts = {
  httpSettings: by(settingsOf, [parts.configuration]),
  routes: by(routeTable, [parts.useCases]),
  publishedKeys: from(DatabaseKeys, { databases: parts.databases, keyRings: parts.keyRings }),
  playground: by(playgroundOf, [parts.configuration, parts.demoSeeder]),
  application: by(
    (
      settings,
      databases,
      routes,
      operations,
      observer,
      ...[digests, credentialReader, traffic, publishedKeys, playground]
    ) => {
      const application = createApplication({
        settings,
        databases,
        routes,
        operations,
        observer,
        digests,
        credentialReader,
        traffic,
        publishedKeys,
        playground,
      });
      operations.watch(application);
      return application;
    },
    [
      parts.httpSettings,
      parts.databases,
      parts.routes,
      parts.operations,
      parts.observer,
      parts.digests,
      parts.credentialReader,
      parts.channelTraffic,
      parts.publishedKeys,
      parts.playground,
    ],
  ),
} satisfies Recipes;

/** The page shows how the demo is opened, where the demo is. */
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
