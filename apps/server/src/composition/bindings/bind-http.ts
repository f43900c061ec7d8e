import { createApplication, DatabaseKeys, type HttpSettings, routeTable } from "@sallyport/http";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { identifiers } from "../identifiers.ts";
import { version } from "../version.ts";

/** The way in over HTTP. */
export function bindHttp(container: Container): void {
  const { configuration, digests, databases, operations, observer, httpSettings, routes, application } = identifiers;
  const { credentialReader, channelTraffic, keyRings, publishedKeys, useCases } = identifiers;
  container.bind(httpSettings).toResolvedValue(settingsOf, [configuration]);
  container.bind(routes).toResolvedValue(routeTable, [useCases]);
  container
    .bind(publishedKeys)
    .toResolvedValue((served, rings) => new DatabaseKeys({ databases: served, keyRings: rings }), [databases, keyRings]);
  container.bind(application).toResolvedValue(
    (settings, served, table, answers, told, ...[digest, reader, traffic, keys]) => {
      const parts = { settings, databases: served, routes: table, digests: digest, operations: answers, observer: told };
      const created = createApplication({ ...parts, credentialReader: reader, traffic, publishedKeys: keys });
      answers.watch(created);
      return created;
    },
    [httpSettings, databases, routes, operations, observer, digests, credentialReader, channelTraffic, publishedKeys],
  );
}

function settingsOf({ server, applicationName, debugMessages, compatibility, encryption }: Configuration): HttpSettings {
  const { basePath, maxInFlight, maxPipelined, maxAwaitedBodies, maxUntakenAnswers, allowInsecureTransport } = server;
  return {
    applicationName,
    applicationVersion: version,
    basePath,
    maxInFlight,
    maxPipelined,
    maxAwaitedBodies,
    maxUntakenAnswers,
    bodyTimeout: server.timeouts.body,
    debugMessages,
    plainAfterSecureLogin: compatibility.plainAfterSecureLogin,
    legacyPkcs1: encryption.legacyPkcs1,
    missingCredential: compatibility.missingCredential === "204" ? 204 : 200,
    allowInsecureTransport,
    trustedProxies: server.trustedProxies,
  };
}
