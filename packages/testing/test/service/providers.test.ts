import { startCodeLogIn } from "@sallyport/client/identity";
import { startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

describe("providers", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ databases: { "": tickets, second: tickets }, providers: true });
  });
  afterEach(() => service.reset());
  afterAll(() => service.close());

  const names = ["google", "facebook", "microsoft", "apple"] as const;

  test.each(names)("%s: each persona ends in its own way", async (name) => {
    const provider = service.providers[name];
    const codeOf = async (persona: Parameters<typeof provider.logIn>[0]) => {
      const { status, body } = await provider.logIn(persona, { user: "ada" });
      return [persona, status, body.status.internalStatus, Object.keys(body.data ?? {})[0]];
    };
    expect(await codeOf("new")).toEqual(["new", 200, "0", "dfUuid"]);
    expect(await codeOf("linked")).toEqual(["linked", 200, "0", "sessionId"]);
    expect(await codeOf("denied")).toEqual(["denied", 400, "324", undefined]);
    expect(await codeOf("wrongState")).toEqual(["wrongState", 400, "324", undefined]);
    expect(await codeOf("expired")).toEqual(["expired", 400, "324", undefined]);
    expect(await codeOf("rotatedKeys")).toEqual(["rotatedKeys", 200, "0", "sessionId"]);
  });

  test("fails if the provider does not answer in time", async () => {
    const { status, body } = await service.providers.google.logIn("slow");
    expect([status, body.status.internalStatus]).toEqual([503, "706"]);
  });

  test("gives agents sessions of linked accounts, one for each user", async () => {
    const mode = { provider: "google", persona: "linked" } as const;
    const [ada, bob] = [service.as("ada", { mode }), service.as("bob", { mode, alias: "second" })];
    await ada.post("/v1/object/Ticket").send({ Title: "By an account" }).expect(200);
    const { body } = await bob.get("/v1/object/Note").expect(200);
    expect(body.data["~Count"]).toBe(0);
    // A reset removes the links.
    await service.reset();
    await ada.get("/_CheckSession").expect(200);
  });

  test("gives no session for an account without a link", async () => {
    const agent = service.as("ada", { mode: { provider: "google", persona: "new" } });
    await expect(agent.get("/_CheckSession")).rejects.toThrow("is linked to no user");
    const denied = service.as("ada", { mode: { provider: "google", persona: "denied" } });
    await expect(denied.get("/_CheckSession")).rejects.toMatchObject({ code: 324 });
  });

  test("keeps the addresses of fakes beside settings of the test", async () => {
    const own = await startTestService({
      databases: { "": tickets },
      providers: true,
      licences: true,
      configuration: { providers: { allowPrivateAddresses: true }, licences: { statistics: { required: true } } },
    });
    try {
      const { body } = await own.providers.google.logIn("linked", { user: "ada" });
      expect(body.status.internalStatus).toBe("0");
    } finally {
      await own.close();
    }
  });

  test("leads back to the application with a code", async () => {
    const listening = await startTestService({ databases: { "": tickets }, providers: true, listen: true });
    try {
      const place = { baseUrl: listening.url, appKey: "test-app-key" };
      const returnTo = "http://localhost/callback";
      const { url } = await startCodeLogIn(place, "google", { returnTo, appNames: ["test-app"] });
      const { status, location } = await listening.providers.google.visit(url, "new");
      expect([status, location]).toEqual([302, expect.stringMatching(/^http:\/\/localhost\/callback\?code=/)]);
    } finally {
      await listening.close();
    }
  });
});
