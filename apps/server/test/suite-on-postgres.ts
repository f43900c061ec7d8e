import type { RunningServer } from "../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";

/** Defines a suite that runs against the demo on a Postgres of its own, with these settings of the environment. */
export function suiteOnPostgres(
  name: string,
  suite: (server: () => RunningServer) => void,
  environment: Readonly<Record<string, string>> = {},
): void {
  describe(name, () => {
    let postgres: PostgresFixture;
    let server: RunningServer;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      server = await postgres.demo(environment);
    }, 60_000);
    afterAll(() => postgres.close());

    suite(() => server);
  });
}

/** For suites that fail on purpose in each mode: failures in one must not lock out the next. */
export const withoutLockout = { THROTTLE_ADDRESS_FREE_FAILURES: "1000" };
