import { createApplication, type HttpSettings, routeTable } from "@sallyport/http";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { identifiers } from "../identifiers.ts";
import { version } from "../version.ts";

/** The way in over HTTP. */
export function bindHttp(container: Container): void {
  const { configuration, digests, databases, operations, observer, httpSettings, routes, application } = identifiers;
  const { logIn, logOut, getObject, listObjects } = identifiers;
  container.bind(httpSettings).toResolvedValue(settingsOf, [configuration]);
  container
    .bind(routes)
    .toResolvedValue(
      (enter, leave, get, list) => routeTable({ logIn: enter, logOut: leave, getObject: get, listObjects: list }),
      [logIn, logOut, getObject, listObjects],
    );
  container.bind(application).toResolvedValue(
    (settings, served, table, digest, answers, told) => {
      const parts = { settings, databases: served, routes: table, digests: digest, operations: answers, observer: told };
      const created = createApplication(parts);
      answers.watch(created);
      return created;
    },
    [httpSettings, databases, routes, digests, operations, observer],
  );
}

function settingsOf({ server, applicationName, debugMessages, compatibility }: Configuration): HttpSettings {
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
    missingCredential: compatibility.missingCredential === "204" ? 204 : 200,
    allowInsecureTransport,
    trustedProxies: server.trustedProxies,
  };
}
