import { Applications } from "@sallyport/core";
import { isFullRun } from "@sallyport/test-kit/scope";
import type { RunningServer } from "../../src/index.ts";
import { onEngines } from "../engines.ts";
import { macroEnvironment } from "../macro-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";

const environment = {
  ...macroEnvironment,
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  PLAIN_AFTER_SECURE_LOGIN: "true",
  // The suites cause many refused log-ins from one address.
  THROTTLE_IP_MAX_FAILURES: "10000",
  THROTTLE_USER_MAX_FAILURES: "10000",
};

type PublicSuite = (server: () => RunningServer, missing: 200 | 204) => void;

/**
 * Defines a suite of the requests that public clients send: on each engine, and for a server that answers missing credentials
 * with 204. `differs`: whether its answers differ there. If not, only the full run tries it.
 */
export function onPublicServers(name: string, suite: PublicSuite, { differs = false } = {}): void {
  const prepared = (missing: 200 | 204) => (server: () => RunningServer) => {
    beforeAll(() =>
      new Applications(repositoriesOf(server()).records).create({
        name: "public-forced",
        seats: null,
        secondFactor: "forced",
      }),
    );
    suite(server, missing);
  };
  onEngines(name, prepared(200), { environment });
  if (differs || isFullRun)
    onEngines(`${name}, where missing credentials are answered with 204`, prepared(204), {
      environment: { ...environment, MISSING_CREDENTIAL: "204" },
      on: ["memory"],
    });
}
