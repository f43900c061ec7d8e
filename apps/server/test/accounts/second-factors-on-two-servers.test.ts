import { Applications, SecondFactors } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { onEngines } from "../engines.ts";
import { repositoriesOf } from "../repositories-of.ts";
import {
  attempt,
  Authenticator,
  logInWithFactor,
  factorRequests,
  secondFactorEnvironment,
} from "../second-factor-client.ts";

onEngines(
  "second factors of two servers",
  (_server, { servers }) => {
    test("a token accepted by one is refused by the other, and one of several concurrent uses is accepted", async () => {
      const [one, other] = servers() as [RunningServer, RunningServer];
      const { records } = repositoriesOf(one);
      await new Applications(records).create({ name: "may", seats: null, secondFactor: "optional" });
      const factor = factorRequests(one, await logInWithFactor(one, "session", "demo", ["may"]), "may");
      const { secret, recoveryCodes } = await factor.enrol();
      const authenticator = await Authenticator.of(one, secret);
      const [begun] = (await new SecondFactors(records).list(null, 1)) ?? [];
      expect(begun !== undefined && (await new SecondFactors(records).accept(begun, 0))).toBe(true);
      const logIn = (server: RunningServer, token: string | undefined) =>
        attempt(server, "session", { user: "demo", appNames: ["may"], "2faToken": token });
      expect([await logIn(one, authenticator.token()), await logIn(other, authenticator.token())]).toEqual([
        "0",
        "342",
      ]);
      for (const token of [authenticator.token(1), recoveryCodes[0]]) {
        const codes = await Promise.all(
          Array.from({ length: 40 }, (_, index) => logIn(index % 2 === 0 ? one : other, token)),
        );
        expect([codes.filter((code) => code === "0").length, codes.filter((code) => code === "342").length]).toEqual([
          1, 39,
        ]);
      }
    });
  },
  {
    environment: secondFactorEnvironment,
    on: ["Postgres"],
    count: 2,
  },
);
