import type { World } from "@sallyport/testing/devices";
import { ReferenceServer } from "./reference-server.ts";

type Fetch = World["servers"][number];

/** A world on a reference server. `tamper` changes what devices receive. */
export function referenceWorld(
  server = new ReferenceServer(),
  tamper: (fetch: Fetch) => Fetch = (fetch) => fetch,
): World {
  const fetch = tamper(server.fetch);
  return {
    baseUrl: "http://reference.invalid",
    adminKey: "key",
    administrator: { user: "administrator", password: "administrator" },
    servers: [fetch],
    kill: () => Promise.resolve(),
    backUp: () => Promise.resolve(server.backUp()),
    restore: () => Promise.resolve(server.restore()),
  };
}
