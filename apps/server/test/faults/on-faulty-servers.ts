import { isFullRun } from "@sallyport/test-kit/scope";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { type FaultFixture, openFaultFixture } from "./fault-fixture.ts";

/**
 * Faults are injected above the storage, so one engine shows how the server handles them. `postgres.test.ts` has those of a
 * Postgres.
 */
const engines = isFullRun ? (["memory", "embedded", "Postgres"] as const) : (["memory"] as const);

/** Defines a suite of servers with a failing storage. */
export function onFaultyServers(name: string, suite: (fixture: () => FaultFixture) => void): void {
  describe.each(engines)(`${name}, with storage %s`, (engine) => {
    let postgres: PostgresFixture | undefined;
    let fixture: FaultFixture;
    beforeAll(async () => {
      if (engine === "Postgres") postgres = await openPostgresFixture({ empty: true });
      fixture = await openFaultFixture(engine === "Postgres" ? { databaseUrl: postgres?.url ?? "" } : engine);
    }, 180_000);
    afterAll(async () => {
      await fixture.close();
      await postgres?.close();
    });

    suite(() => fixture);
  });
}
