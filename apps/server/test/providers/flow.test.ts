import { type ProviderType, providerTypes } from "@sallyport/storage";
import { signIn } from "@sallyport/fake-identity-providers";
import { call, checkSession } from "../client.ts";
import { startLogIn, finishLogIn, link, logInAt } from "./browser.ts";
import { linksOf, register, removeLinks } from "./provider-fixture.ts";
import { onProviderServers } from "./on-provider-servers.ts";

/** The whole flow at each provider, on every engine. */
onProviderServers("log-in with providers", (server, fixture) => {
  const links = () => linksOf(server());
  const dfUuidAt = async (provider: string) => (await logInAt(server(), provider, "anna")).body.data.dfUuid as string;
  const check = (sessionId: string) => checkSession(server(), sessionId);

  beforeEach(async () => {
    fixture().fakes.clearFaults();
    for (const type of providerTypes) await register(fixture(), server(), type);
    await removeLinks(server());
  });

  describe.each(providerTypes)("log-in at %s", (type: ProviderType) => {
    test("links an unknown account, and logs in with it", async () => {
      const first = await logInAt(server(), type, "anna");
      expect(first).toMatchObject({
        status: 200,
        code: "0",
        body: { status: { statusMessage: "A database user must be assigned" }, data: { dfUuid: expect.any(String) } },
      });
      expect(await links()).toEqual([]);
      expect(await link(server(), first.body.data.dfUuid)).toMatchObject({
        status: 200,
        code: "0",
        body: { data: { databaseName: "demo", user: { Name: "demo" } } },
      });

      const { body } = await logInAt(server(), type, "anna");
      expect(body).toMatchObject({
        status: { statusMessage: "ok" },
        data: { sessionId: expect.any(String), databaseName: "demo", user: { Name: "demo" } },
      });
      const { sessionId } = body.data;
      const listed = await call(server(), "/v1/auth/links", { sessionId });
      expect(listed.body.data).toEqual({
        links: [
          {
            provider: type,
            displayName: expect.any(String),
            email: expect.any(String),
            shared: false,
            linkedAt: expect.stringMatching(/Z$/),
          },
        ],
      });
      expect(await logInAt(server(), type, "ben")).toMatchObject({ body: { data: { dfUuid: expect.any(String) } } });

      const { sessionId: other } = (await logInAt(server(), type, "anna")).body.data;
      expect(
        await call(server(), `/v1/auth/links/${type.toUpperCase()}`, { method: "DELETE", sessionId }),
      ).toMatchObject({ status: 200, code: "0" });
      expect([await check(other), await check(sessionId)]).toEqual(["201", "201"]);
      expect(await logInAt(server(), type, "anna")).toMatchObject({ body: { data: { dfUuid: expect.any(String) } } });
    });

    test("ends when the user cancels", async () => {
      expect(await logInAt(server(), type, null)).toMatchObject({ status: 400, code: "324" });
      expect(await links()).toEqual([]);
    });

    test("accepts one of twenty callbacks with the same state", async () => {
      await link(server(), await dfUuidAt(type));
      const { location, cookie } = await startLogIn(server(), type);
      const callback = await signIn(location, "anna");
      const answers = await Promise.all(Array.from({ length: 20 }, () => finishLogIn(server(), callback, cookie)));
      expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "324")]);
    });
  });
});
