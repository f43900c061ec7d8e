import { Applications, SecondFactors } from "@sallyport/core";
import { repositoriesOf } from "./password-suite.ts";
import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { attempt, Authenticator, enter, factorRequests } from "./second-factor-client.ts";
import { secondFactorEnvironment, secondFactorSuite } from "./second-factor-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

describe.each(["memory", "embedded"] as const)("second factors with storage %s", (engine) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer(engine, secondFactorEnvironment);
  }, 60_000);
  afterAll(() => server.close());

  secondFactorSuite(() => server);
});

suiteOnPostgres("second factors on Postgres", secondFactorSuite, secondFactorEnvironment);

describe("second factors of two servers on one Postgres", () => {
  let postgres: PostgresFixture;
  let servers: [RunningServer, RunningServer];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    servers = [await postgres.demo(secondFactorEnvironment), await postgres.demo(secondFactorEnvironment)];
  }, 60_000);
  afterAll(() => postgres.close());

  test("a token that one has accepted is refused by the other, and of many at once one is accepted", async () => {
    const [one, other] = servers;
    const { records } = repositoriesOf(one);
    await new Applications(records).create({ name: "may", seats: null, secondFactor: "optional" });
    const factor = factorRequests(one, await enter(one, "session", "demo", ["may"]), "may");
    const { secret, recoveryCodes } = await factor.enrol();
    const authenticator = await Authenticator.of(one, secret);
    const [begun] = (await new SecondFactors(records).list(null, 1)) ?? [];
    expect(begun !== undefined && (await new SecondFactors(records).accept(begun, 0))).toBe(true);
    const logIn = (server: RunningServer, token: string | undefined) =>
      attempt(server, "session", { user: "demo", appNames: ["may"], "2faToken": token });
    expect([await logIn(one, authenticator.token()), await logIn(other, authenticator.token())]).toEqual(["0", "342"]);
    for (const token of [authenticator.token(1), recoveryCodes[0]]) {
      const codes = await Promise.all(
        Array.from({ length: 40 }, (_, index) => logIn(index % 2 === 0 ? one : other, token)),
      );
      expect([codes.filter((code) => code === "0").length, codes.filter((code) => code === "342").length]).toEqual([
        1, 39,
      ]);
    }
  });
});
