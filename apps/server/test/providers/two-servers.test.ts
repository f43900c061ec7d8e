import { signIn } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";
import { call, checkSession } from "../client.ts";
import { startLogIn, finishLogIn, link } from "./browser.ts";
import { register, providerHookEnvironment } from "./provider-fixture.ts";
import { onProviderServers } from "./on-provider-servers.ts";

onProviderServers(
  "providers with two servers",
  (one, fixture, { servers }) => {
    const other = () => servers()[1] as RunningServer;

    test("a log-in begun at one server ends at the other, once", async () => {
      await register(fixture(), one(), "microsoft");
      const start = async (from: RunningServer) => {
        const { location, cookie } = await startLogIn(from, "microsoft");
        return { cookie, callback: await signIn(location, "chloe") };
      };
      const { cookie, callback } = await start(one());
      const { dfUuid } = (await finishLogIn(other(), callback, cookie)).body.data;
      expect((await finishLogIn(one(), callback, cookie)).code).toBe("324");
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => link(index % 2 === 0 ? one() : other(), dfUuid)),
      );
      expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "324")]);

      const bound = await start(other());
      const sessions = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          finishLogIn(index % 2 === 0 ? one() : other(), bound.callback, bound.cookie),
        ),
      );
      const opened = sessions.filter(({ code }) => code === "0");
      expect(opened).toHaveLength(1);
      const { sessionId } = opened[0]?.body.data ?? {};
      expect(await call(one(), "/v1/auth/links/microsoft", { method: "DELETE", sessionId })).toMatchObject({
        code: "0",
      });
      expect(await checkSession(other(), sessionId)).toBe("201");
    });
  },
  { environment: providerHookEnvironment, on: ["Postgres"], count: 2 },
);
