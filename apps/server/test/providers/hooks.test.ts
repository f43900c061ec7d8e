import { seesAll } from "@sallyport/storage";
import { logInAt } from "./browser.ts";
import { linksOf, register, providerHookEnvironment } from "./provider-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onProviderServers } from "./on-provider-servers.ts";

/** The hook for new users of providers in its sandbox, on every engine. */
onProviderServers(
  "hook for new users of providers",
  (server, fixture) => {
    const r = () => repositoriesOf(server());
    const objects = async () =>
      (await r().objects.find({ classes: ["xRestApiUserProvider"] }, seesAll, { offset: 0, limit: 100 })).objects.map(
        ({ attributes }) => attributes,
      );
    const reader = async () => (await r().accounts.find({ realm: "database", loginName: "reader" }, [])).user;

    test("the hook accepts, maps or refuses a new user, and runs once for each accepted one", async () => {
      await register(fixture(), server(), "google");
      const before = (await reader())?.version ?? 0;
      expect(await logInAt(server(), "google", "ben")).toMatchObject({ status: 400, code: "324" });
      expect((await logInAt(server(), "google", "chloe")).body.data).toHaveProperty("dfUuid");
      expect([await linksOf(server()), await objects(), (await reader())?.version]).toEqual([[], [], before]);

      const assigned = (await logInAt(server(), "google", "anna")).body.data;
      expect(assigned.user.Name).toBe("reader");
      const user = await reader();
      expect(user).toMatchObject({
        version: before + 1,
        attributes: { Description: expect.stringMatching(/^google \d+ Anna Example 0 demo-app$/) },
      });
      expect(await objects()).toEqual([
        expect.objectContaining({
          Provider: "google",
          Name: "Anna",
          Surname: "Example",
          Email: "anna@example.com",
          User: user?.id,
        }),
      ]);
      expect((await logInAt(server(), "google", "anna")).body.data.user.Name).toBe("reader");
      expect((await reader())?.version).toBe(before + 1);

      const admin = (await r().accounts.find({ realm: "database", loginName: "demo" }, [])).account?.userId ?? null;
      await register(fixture(), server(), "google", { defaultUserId: admin });
      expect((await logInAt(server(), "google", "chloe")).body.data.user.Name).toBe("demo");
      expect(await linksOf(server())).toHaveLength(2);
      expect(await objects()).toHaveLength(2);
    });
  },
  { environment: providerHookEnvironment },
);
