import { createApplication, DatabaseKeys, type HttpSettings, type Playground, routeTable } from "@sallyport/http";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { demoCredentials, holdsDemo } from "../../demo/index.ts";
import type { DemoSeeder } from "../storages/demo-data.ts";
import { identifiers } from "../identifiers.ts";
import { version } from "../version.ts";

/** The way in over HTTP. */
export function bindHttp(container: Container): void {
  const { configuration, digests, databases, operations, observer, httpSettings, routes, application } = identifiers;
  const { credentialReader, channelTraffic, keyRings, publishedKeys, useCases, playground, demoSeeder } = identifiers;
  container.bind(httpSettings).toResolvedValue(settingsOf, [configuration]);
  container.bind(routes).toResolvedValue(routeTable, [useCases]);
  container
    .bind(publishedKeys)
    .toResolvedValue(
      (served, rings) => new DatabaseKeys({ databases: served, keyRings: rings }),
      [databases, keyRings],
    );
  container.bind(playground).toResolvedValue(playgroundOf, [configuration, demoSeeder]);
  container.bind(application).toResolvedValue(
    (settings, served, table, answers, told, ...[digest, reader, traffic, keys, page]) => {
      const parts = {
        settings,
        databases: served,
        routes: table,
        digests: digest,
        operations: answers,
        observer: told,
      };
      const created = createApplication({
        ...parts,
        credentialReader: reader,
        traffic,
        publishedKeys: keys,
        playground: page,
      });
      answers.watch(created);
      return created;
    },
    [
      httpSettings,
      databases,
      routes,
      operations,
      observer,
      digests,
      credentialReader,
      channelTraffic,
      publishedKeys,
      playground,
    ],
  );
}

/** The page shows how the demo is opened, where the demo is. */
function playgroundOf({ docs }: Configuration, { states }: DemoSeeder): Playground | null {
  if (!docs.enabled) return null;
  const { appKey, apps, users } = demoCredentials;
  const access = { appKey, appNames: apps.map(({ name }) => name), users };
  return { demo: (alias) => (holdsDemo(states.get(alias)) ? access : null) };
}

function settingsOf({
  server,
  applicationName,
  debugMessages,
  compatibility,
  encryption,
}: Configuration): HttpSettings {
  const {
    basePath,
    maxInFlight,
    maxConnections,
    maxPipelined,
    maxAwaitedBodies,
    maxUntakenBytes,
    allowInsecureTransport,
  } = server;
  return {
    applicationName,
    applicationVersion: version,
    basePath,
    maxInFlight,
    maxConnectionsPerNetwork: maxConnections.perNetwork,
    maxPipelined,
    maxAwaitedBodies,
    maxUntakenBytes,
    stalledReaderTimeout: server.timeouts.stalledReader,
    bodyTimeout: server.timeouts.body,
    multiTimeout: server.timeouts.multi,
    debugMessages,
    plainAfterSecureLogin: compatibility.plainAfterSecureLogin,
    legacyPkcs1: encryption.legacyPkcs1,
    missingCredential: compatibility.missingCredential === "204" ? 204 : 200,
    allowInsecureTransport,
    trustedProxies: server.trustedProxies,
  };
}
