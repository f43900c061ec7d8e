import { describeEachMode, startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

describe("controls", () => {
  let service: TestService;

  beforeAll(async () => {
    const apps = [
      { name: "test-app" },
      { name: "forced-app", secondFactor: "forced" },
      { name: "optional-app", secondFactor: "optional" },
    ] as const;
    service = await startTestService({ databases: { "": { ...tickets, apps } } });
  });
  afterEach(() => service.reset());
  afterAll(() => service.close());

  describeEachMode("a second factor", (agentOf) => {
    test.each(["forced-app", "optional-app"])("is enrolled and used for %s", async (app) => {
      const options = { appNames: [app], secondFactor: true };
      const ada = agentOf(service, "ada", options);
      await ada.get("/_CheckSession").expect(200);
      for (let count = 0; count < 4; count += 1) await ada.logIn();
      await agentOf(service, "ada", options).get("/_CheckSession").expect(200);
      await expect(agentOf(service, "ada", { appNames: [app] }).logIn()).rejects.toMatchObject({ code: 341 });
      service.clock.advance("3 h");
      await ada.logIn();
      await ada.get("/_CheckSession").expect(200);
      await service.reset();
      await ada.get("/_CheckSession").expect(200);
    });
  });

  test("a custom user has a second factor", async () => {
    const partner = service.as("partner", { mode: "custom", appNames: ["forced-app"], secondFactor: true });
    await partner.get("/_CheckSession").expect(200);
    await partner.logIn();
  });

  test("the secret of a second factor is known", async () => {
    const ada = service.as("ada", { appNames: ["optional-app"] });
    const { body } = await ada.post("/v1/2fa/secret?app=optional-app").expect(200);
    const { secret } = body.data;
    const own = { appNames: ["optional-app"], secondFactor: secret };
    // An unconfirmed factor has no effect.
    await service.as("ada", own).get("/_CheckSession").expect(200);
    await expect(service.as("ada", { ...own, secondFactor: "no base32!" }).logIn()).rejects.toThrow("must be Base32");
  });

  test("an administrator uses the routes of administration", async () => {
    const root = service.as("root", { administration: true });
    const { body } = await root.get("/admin/v1/users").expect(200);
    expect(body.data.items.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["ada", "bob"]));
    const create = () => root.post("/admin/v1/users").send({ name: "new", password: "a quite long password" });
    service.clock.advance("11 min");
    const refused = await create();
    expect(refused.body.status.internalStatus).toBe("802");
    await root.prove();
    await create().expect(200);
    await root.logOut();
    await root.get("/admin/v1/users").expect(401);
    await expect(service.as("ada", { administration: true }).get("/admin/v1/users")).rejects.toMatchObject({
      code: 302,
    });
    await expect(service.as("ada").prove()).rejects.toThrow("`administration: true`");
    expect(() => service.as("root", { administration: true, mode: "secure" })).toThrow("mode `session`");
  });

  test("a delayed request is answered when the clock says so", async () => {
    const ada = service.as("ada");
    await ada.logIn();
    service.fail("GET /_CheckSession").delay("25 min").once();
    const advancing = setInterval(() => service.clock.advance("1 min"), 50);
    try {
      await ada.get("/_CheckSession").expect(200);
    } finally {
      clearInterval(advancing);
    }
    service.fail("GET /_CheckSession").delay("20 ms").times(1);
    await ada.get("/_CheckSession").expect(200);
  });

  test("a dropped connection leaves the work undone or done", async () => {
    const ada = service.as("ada");
    const count = async () => (await ada.get("/v1/objects/Note").expect(200)).body.data["~Count"];
    const create = () => ada.post("/v1/object/Note").send({ Text: "Lost?" });
    expect(await count()).toBe(0);
    service.fail("POST /v1/object/{className}").drop("before").once();
    await expect(create()).rejects.toThrow("socket hang up");
    expect(await count()).toBe(0);
    service.fail("POST /v1/object/{className}").drop("after").once();
    await expect(create()).rejects.toThrow("socket hang up");
    expect(await count()).toBe(1);
    const never = "never" as "after";
    expect(() => service.fail("GET /_CheckSession").drop(never).once()).toThrow('"before" or "after"');
    expect(() => service.fail("GET /_CheckSession").delay("soon")).toThrow("not a duration");
  });

  test("the audit names the users of the content", async () => {
    await service.as("ada").get("/_CheckSession").expect(200);
    await expect(service.as("bob", { password: "wrong" }).logIn()).rejects.toMatchObject({ code: 302 });
    const events = await service.audit();
    const shown = events.map(({ type, outcome, actor, subject }) => ({ type, outcome, actor, subject }));
    expect(shown).toContainEqual({ type: "login.accepted", outcome: 0, actor: "ada", subject: "ada" });
    expect(shown).toContainEqual(expect.objectContaining({ type: "login.refused", outcome: 302 }));
    await service.reset();
    expect((await service.audit()).filter(({ type }) => type === "login.accepted")).toEqual([]);
  });

  describeEachMode("the journal", (agentOf) => {
    test("has the bodies of requests without their secrets", async () => {
      const ada = agentOf(service, "ada");
      const { body } = await ada.post('/v1/object/Note?serialization={"type":"oid"}').send({ Text: "Äöü" }).expect(200);
      const change = { oldPassword: "correct horse", newPassword: "a quite new password" };
      await ada.post("/v1/changePassword").send(change);
      await ada.post("/v1/multi").send([{ method: "GET", path: "/v1/object/999999" }]);
      const requests = service.journal.filter(
        ({ user, code, route }) => user === "ada" && !/log[io]n/.test(`${route} ${code}`),
      );
      expect(requests).toMatchObject([
        {
          method: "POST",
          path: "/v1/object/Note?serialization={%22type%22:%22oid%22}",
          user: "ada",
          body: { Text: "Äöü" },
          data: { "~ObjectID": body.data["~ObjectID"] },
        },
        { path: "/v1/changePassword", body: { oldPassword: "<oldPassword>", newPassword: "<newPassword>" } },
        { path: "/v1/multi", body: [{ method: "GET", path: "/v1/object/999999" }], items: [{ code: 304 }] },
      ]);
      expect(JSON.stringify(service.journal)).not.toMatch(/correct horse|a quite new password/);
      await service.reset();
      expect(service.journal).toEqual([]);
    });
  });
});
