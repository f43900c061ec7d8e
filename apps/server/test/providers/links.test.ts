import { seesAll } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { call } from "../client.ts";
import { Authenticator } from "../second-factor-client.ts";
import { link, logInAt } from "./browser.ts";
import { linksOf, register } from "./provider-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onProviderServers, useProviders } from "./on-provider-servers.ts";

/** The concurrent requests for `total`. */
const concurrently = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, work));

/** The links to users, with their creators. */
onProviderServers("links of provider accounts", (server, fixture) => {
  useProviders(server, fixture);
  const r = (alias = "") => repositoriesOf(server(), alias);
  const users = async () =>
    (await r().objects.find({ classes: ["xRestApiUserProvider"] }, seesAll, { offset: 0, limit: 100 })).objects;
  const dfUuidAt = async (provider: string, account = "anna") =>
    (await logInAt(server(), provider, account)).body.data.dfUuid as string;

  test("does not link by e-mail address", async () => {
    for (const name of ["anna@example.com", "ANNA@Example.com", "anna\u200B@example.com", "ａnna@example.com"]) {
      const [user] = await r().objects.insert([{ className: "User", attributes: { Name: name } }]);
      await r().accounts.create(
        { userId: user?.id ?? "", loginName: name, secret: "none", administrator: false, email: "anna@example.com" },
        name,
      );
    }
    expect(await dfUuidAt("google")).toEqual(expect.any(String));
    expect(await linksOf(server())).toEqual([]);
  });

  test("checks credentials before the dfUuid, which only a success spends", async () => {
    const dfUuid = await dfUuidAt("google");
    const codes = [];
    for (const bad of [undefined, null, "", 1, {}, [dfUuid], "nothing", "00000000-0000-4000-8000-000000000000"])
      codes.push((await link(server(), bad)).code);
    expect(codes).toEqual(Array.from({ length: 8 }, () => "324"));
    expect((await link(server(), "nothing", { pass: "wrong" })).code).toBe("302");
    expect((await link(server(), dfUuid, { pass: "wrong" })).code).toBe("302");
    expect((await link(server(), dfUuid, { user: undefined })).code).toBe("301");
    expect((await link(server(), dfUuid, { appNames: undefined })).code).toBe("209");
    expect((await link(server(), dfUuid, {}, "/second")).code).toBe("324");
    const answers = await concurrently(() => link(server(), dfUuid));
    expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "324")]);
    expect(await linksOf(server())).toHaveLength(1);
  });

  test("a second factor of a shared user is not removed by a new link", async () => {
    const { account } = await r().accounts.find({ realm: "database", loginName: "reader" }, []);
    const appName = "guarded by a factor";
    await new Applications(r().records).create({ name: appName, seats: null, secondFactor: "optional" });
    await register(fixture(), server(), "google", { defaultUserId: account?.userId ?? null });
    try {
      const logIn = (query = {}) => logInAt(server(), "google", "anna", { query });
      const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
      const guarded = (await logIn({ appNames: appName })).body.data.sessionId;
      const { secret } = (await call(server(), path, { method: "POST", sessionId: guarded })).body.data;
      const authenticator = await Authenticator.of(server(), secret);
      const unlink = async (sessionId: string) =>
        (await call(server(), "/v1/auth/links/google", { method: "DELETE", sessionId })).code;
      expect(
        (await call(server(), path, { method: "PATCH", sessionId: guarded, body: { token: authenticator.token() } }))
          .code,
      ).toBe("0");
      expect([await unlink((await logIn()).body.data.sessionId), (await logIn({ appNames: appName })).code]).toEqual([
        "307",
        "341",
      ]);
      expect(
        (await call(server(), path, { method: "DELETE", sessionId: guarded, body: { token: authenticator.token(1) } }))
          .code,
      ).toBe("0");
      expect([await unlink(guarded), await linksOf(server())]).toEqual(["0", []]);
    } finally {
      await register(fixture(), server(), "google");
    }
  });

  test("a session for enrolment links nothing, and can link after it has shown the factor", async () => {
    const appName = "demands a factor";
    await new Applications(r().records).create({ name: appName, seats: null, secondFactor: "forced" });
    const dfUuid = await dfUuidAt("google");
    const asking = { user: "reader", pass: "reader", appNames: [appName] };
    expect((await link(server(), dfUuid, asking)).code).toBe("340");
    const { sessionId } = (await link(server(), dfUuid, { ...asking, "2faEnrol": true })).body.data;
    expect(await linksOf(server())).toEqual([]);
    const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
    const authenticator = await Authenticator.of(
      server(),
      (await call(server(), path, { method: "POST", sessionId })).body.data.secret,
    );
    expect((await link(server(), dfUuid, { ...asking, "2faToken": authenticator.wrong() })).code).toBe("342");
    expect((await link(server(), dfUuid, { ...asking, "2faToken": authenticator.token() })).code).toBe("0");
    expect(await linksOf(server())).toHaveLength(1);
  });

  test("a dfUuid is invalid with another app key, and stays valid with its own", async () => {
    const other = "app-key-of-somebody-else";
    await r().appKeys.create({ name: other, appNames: null, origins: [] }, new NodeDigests().sha256(other));
    const dfUuid = await dfUuidAt("google");
    const body = { user: "demo", pass: "demo", appNames: ["demo-app"], dfUuid };
    expect(await call(server(), "/v1/extLogin", { method: "POST", headers: { appkey: other }, body })).toMatchObject({
      status: 400,
      code: "324",
    });
    expect(await linksOf(server())).toEqual([]);
    expect((await link(server(), dfUuid.toUpperCase())).code).toBe("0");
  });

  test("links of two databases are independent", async () => {
    await link(server(), await dfUuidAt("google"));
    expect((await logInAt(server(), "google", "anna", { alias: "/second" })).body.data).toHaveProperty("dfUuid");
    expect(await linksOf(server(), "second")).toEqual([]);
  });

  test("concurrent new accounts get the default user, and see only themselves", async () => {
    const { account } = await r().accounts.find({ realm: "database", loginName: "reader" }, []);
    await register(fixture(), server(), "google", { defaultUserId: account?.userId ?? null });
    try {
      const before = (await users()).length;
      const answers = await concurrently(() => logInAt(server(), "google", "anna"));
      expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["0"]));
      expect(await linksOf(server())).toEqual([expect.objectContaining({ userId: account?.userId, shared: true })]);
      const ben = (await logInAt(server(), "google", "ben")).body.data;
      expect(ben.user.Name).toBe("reader");
      expect((await users()).length - before).toBe(2);
      expect((await call(server(), "/v1/auth/links", { sessionId: ben.sessionId })).body.data.links).toHaveLength(1);
      await call(server(), "/v1/auth/links/google", { method: "DELETE", sessionId: ben.sessionId });
      expect(await linksOf(server())).toHaveLength(1);
      expect((await call(server(), "/v1/auth/links", { sessionId: answers[0]?.body.data.sessionId })).code).toBe("0");
      await r().accounts.change(account?.userId ?? "", { disabled: true });
      expect((await logInAt(server(), "google", "chloe")).code).toBe("324");
      expect((await logInAt(server(), "google", "anna")).code).toBe("302");
      expect((await users()).length - before).toBe(2);
    } finally {
      await r().accounts.change(account?.userId ?? "", { disabled: false });
      await register(fixture(), server(), "google");
    }
  });
});
