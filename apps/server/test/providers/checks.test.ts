import { AdministrationFixture, codeOf } from "../administration/administration-fixture.ts";
import { onProviderServers } from "./on-provider-servers.ts";
import { publicUrl, register } from "./provider-fixture.ts";

/** What administrators see of providers before the first log-in. */
onProviderServers("registrations of providers", (server, fixture) => {
  let opened: AdministrationFixture;
  beforeAll(async () => {
    opened = await AdministrationFixture.open(server());
  });

  test("all types are listed with the addresses to enter at the provider", async () => {
    const callbackOf = (type: string) => ({ type, enabled: true, callback: `${publicUrl}/v1/${type}/callback` });
    expect(await opened.admin.providers.types()).toEqual(
      expect.arrayContaining([
        callbackOf("google"),
        callbackOf("microsoft"),
        callbackOf("facebook"),
        { type: "apple", enabled: true, callback: null },
      ]),
    );
  });

  test("a check asks the provider, and says what is wrong", async () => {
    const { providers } = opened.admin;
    expect([await codeOf(providers.check("google")), await codeOf(providers.check("nothing"))]).toEqual([698, 698]);
    await register(fixture(), server(), "google");
    await providers.check("google");
    await register(fixture(), server(), "facebook", { data: { clientId: "12", clientSecret: "wrong" } });
    expect(await codeOf(providers.check("facebook"))).toBe(608);
  });
});
