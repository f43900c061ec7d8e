import type { ConfigurationDocument } from "../schema/configuration-schema.ts";
import { unreadable } from "../sources/unreadable.ts";
import type { Contradiction } from "./contradiction.ts";

/** Settings of the server that do not go together. */
export function* serverContradictions({ server }: ConfigurationDocument): Generator<Contradiction> {
  const { certificateFile, keyFile } = server.tls;
  if (certificateFile !== undefined && keyFile === undefined) {
    yield { path: "server.tls.keyFile", reason: "is required when there is a certificate" };
  }
  if (keyFile !== undefined && certificateFile === undefined) {
    yield { path: "server.tls.certificateFile", reason: "is required when there is a key" };
  }
  for (const [name, file] of Object.entries({ certificateFile, keyFile })) {
    if (file === undefined) continue;
    const reason = unreadable(file);
    if (reason !== null) yield { path: `server.tls.${name}`, reason: `names a file that ${reason}` };
  }
  if (server.timeouts.headers > server.timeouts.request) {
    const path = "server.timeouts.headers";
    yield { path, reason: "must not be longer than server.timeouts.request", against: ["server.timeouts.request"] };
  }
  const { perNetwork, inAll } = server.maxAwaitedBodies;
  if (perNetwork > inAll) {
    const path = "server.maxAwaitedBodies.perNetwork";
    yield { path, reason: "must not be greater than inAll", against: ["server.maxAwaitedBodies.inAll"] };
  }
}
