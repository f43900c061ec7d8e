import { call } from "../client.ts";
import { appKey } from "../subject.ts";
import { begin, logInAt } from "./browser.ts";
import { linksOf, publicUrl } from "./provider-fixture.ts";
import { onProviderServers, useProviders } from "./on-provider-servers.ts";

/** Failures of provider log-ins, and concurrent log-ins. */
onProviderServers("failures of provider log-ins", (server, fixture) => {
  useProviders(server, fixture);
  test("begins with a redirect in an envelope, and a cookie for the callback", async () => {
    const { status, body, headers } = await begin(server(), "GOOGLE", {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
    expect({ status, body }).toEqual({
      status: 302,
      body: { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
    });
    const location = new URL(headers["location"] ?? "");
    expect(location.href.startsWith(fixture().fakes.url)).toBe(true);
    expect(location.searchParams.get("redirect_uri")).toBe(`${publicUrl}/v1/google/callback`);
    expect(headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^sallyport_login_[0-9a-f]{8}=[\w-]{43}; Path=\/under\/v1\/google\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const apple = await begin(server(), "appleid", { alias: "/second" });
    expect(apple.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^__Host-sallyport_login_[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=None; Secure$/,
      ),
    ]);
  });

  test.each([
    ["unknown to the service", "nobody", {}, 698],
    ["a property of any object, and unknown", "__proto__", {}, 698],
    ["requested with an unknown app name", "google", { appNames: "other" }, 208],
    ["requested with a blank app name", "google", { appNames: "demo-app,," }, 208],
    ["requested with a duplicate app name", "google", { appNames: "demo-app,demo-app" }, 210],
  ])("refuses a provider that is %s", async (_what, provider, query, code) => {
    expect(await begin(server(), provider, { query })).toMatchObject({ status: 400, code: String(code) });
  });

  test("accepts the app key from the header or the query, and never chooses between two", async () => {
    const of = (query: string, headers: Record<string, string>) =>
      begin(server(), "google", { query: { appkey: query }, headers }).then(({ code }) => code);
    expect([
      await of("", { appkey: appKey }),
      await of(appKey, { appkey: appKey }),
      await of("other", { appkey: appKey }),
      await of("other", {}),
      await of("", {}),
    ]).toEqual(["0", "0", "101", "101", "100"]);
    expect((await call(server(), `/v1/auth/links?appkey=${appKey}`, { headers: { appkey: "" } })).code).toBe("100");
  });

  test.each([
    "foreignKey",
    "unsigned",
    "otherAudience",
    "otherIssuer",
    "expired",
    "noNonce",
    "otherNonce",
    "signedByPublicKey",
  ] as const)("refuses an id token with the fault %s", async (idToken) => {
    for (const type of ["google", "microsoft", "apple"] as const) {
      fixture().fakes.injectFaults(type, { idToken });
      const { code, body } = await logInAt(server(), type, "anna");
      expect([type, code, body]).toEqual([
        type,
        "324",
        { status: { internalStatus: "324", statusMessage: "Cannot assign DF user to oAuth account" } },
      ]);
    }
    expect(await linksOf(server())).toEqual([]);
  });

  test("refuses an access token for another application", async () => {
    fixture().fakes.injectFaults("facebook", { debug: "otherApp" });
    expect(await logInAt(server(), "facebook", "anna")).toMatchObject({ code: "324" });
  });

  test.each([
    ["serverError", "706"],
    ["hangs", "706"],
    ["huge", "324"],
    ["redirectsInside", "324"],
    ["notJson", "324"],
    ["refusesClient", "608"],
  ] as const)("a provider that %s is answered %s", async (token, code) => {
    fixture().fakes.injectFaults("google", { answers: { token } });
    expect(await logInAt(server(), "google", "anna")).toMatchObject({ code });
    expect(await linksOf(server())).toEqual([]);
  });
});
