import { providerTypes, seesAll } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { type Callback, signIn } from "@sallyport/provider-imitation";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { Authenticator } from "../second-factor-client.ts";
import { appKey } from "../subject.ts";
import { away, begin, comeBack, link, logInAt } from "./browser.ts";
import { publicUrl, type ProviderStage, register, repositoriesOf } from "./provider-stage.ts";

/** What `inAll` asks of everybody at once. */
const atOnce = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, work));

/** Everything that can go wrong with log-ins at providers, and what several do at once. */
export function providerSuite(server: () => RunningServer, stage: () => ProviderStage): void {
  const r = (alias = "") => repositoriesOf(server(), alias);
  const links = async (alias = "") => r(alias).identityLinks.list(null, 100);
  const users = async () =>
    (await r().objects.find({ classes: ["xRestApiUserProvider"] }, seesAll, { offset: 0, limit: 100 })).objects;
  const forget = async () => {
    for (const { id } of [...(await links()), ...(await links("second"))])
      for (const alias of ["", "second"]) await r(alias).identityLinks.remove({ id });
  };
  const dfUuidAt = async (provider: string, account = "anna") =>
    (await logInAt(server(), provider, account)).body.data.dfUuid as string;

  beforeAll(async () => {
    for (const type of providerTypes)
      for (const alias of ["", "second"]) await register(stage(), server(), type, { alias });
  });
  beforeEach(async () => {
    stage().imitation.behave();
    await forget();
  });

  test("begins with a redirect in an envelope, and a cookie for the callback", async () => {
    const { status, body, headers } = await begin(server(), "GOOGLE", {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
    expect({ status, body }).toEqual({
      status: 302,
      body: { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
    });
    const location = new URL(headers["location"] ?? "");
    expect(location.href.startsWith(stage().imitation.url)).toBe(true);
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
    ["none, but a member of any object", "__proto__", {}, 698],
    ["asked with an app name that is unknown", "google", { appNames: "other" }, 208],
    ["asked with a blank app name", "google", { appNames: "demo-app,," }, 208],
    ["asked with an app name twice", "google", { appNames: "demo-app,demo-app" }, 210],
  ])("a provider that is %s is refused", async (_what, provider, query, code) => {
    expect(await begin(server(), provider, { query })).toMatchObject({ status: 400, code: String(code) });
  });

  test("takes the app key from the header or the query, and never picks one of two", async () => {
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

  test("is refused whatever of it does not belong together", async () => {
    const start = async () => {
      const { location, cookie } = await away(server(), "google");
      return { callback: await signIn(location, "anna"), cookie };
    };
    const codeOf = async (
      change: (
        given: Awaited<ReturnType<typeof start>>,
      ) => Partial<Awaited<ReturnType<typeof start>>> & { cookie?: string | null },
    ) => {
      const given = await start();
      const { callback, cookie } = { ...given, ...change(given) };
      const { code, body } = await comeBack(server(), callback, cookie ?? null);
      expect(body).not.toHaveProperty("data");
      // Spent, if it was named.
      expect((await comeBack(server(), given.callback, given.cookie)).code).toMatch(/^(324|0)$/);
      return code;
    };
    const other = await start();
    const parameters = (callback: typeof other.callback, change: Record<string, string>) =>
      new Map([...callback.parameters, ...Object.entries(change)]);
    expect(await codeOf(({ cookie: _cookie }) => ({ cookie: null as never }))).toBe("324");
    expect(await codeOf(() => ({ cookie: other.cookie }))).toBe("324");
    expect(await codeOf(({ cookie }) => ({ cookie: `${cookie.split("=")[0]}=${"A".repeat(43)}` }))).toBe("324");
    expect(
      await codeOf(({ callback }) => ({ callback: { ...callback, parameters: parameters(callback, { state: "" }) } })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, parameters: parameters(callback, { state: "A".repeat(43) }) },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: {
          ...callback,
          parameters: parameters(callback, { state: other.callback.parameters.get("state") ?? "" }),
        },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, parameters: parameters(callback, { code: "nobody" }) },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, address: callback.address.replace("/google/", "/microsoft/") },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, address: callback.address.replace("/under/", "/under/second/") },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, address: callback.address.replace("/google/", "/nobody/") },
      })),
    ).toBe("698");
    expect(await links()).toEqual([]);
  });

  test("is refused with more to it than belongs there, and spent", async () => {
    const change: Readonly<
      Record<
        string,
        (given: { callback: Callback; cookie: string; codeOfAnother: string }) => {
          parameters?: Record<string, string>;
          cookie?: string;
        }
      >
    > = {
      "an error beside the code": () => ({ parameters: { error: "access_denied" } }),
      "another issuer": () => ({ parameters: { iss: "https://issuer.example" } }),
      "the code of another log-in": ({ codeOfAnother }) => ({ parameters: { code: codeOfAnother } }),
      "two cookies that differ": ({ cookie }) => ({ cookie: `${cookie}; ${cookie.split("=")[0]}=${"B".repeat(43)}` }),
      "a cookie in quotation marks": ({ cookie }) => ({ cookie: cookie.replace(/=(.*)$/, '="$1"') }),
    };
    for (const [what, made] of Object.entries(change)) {
      const [other, { location, cookie }] = await Promise.all([away(server(), "google"), away(server(), "google")]);
      const [codeOfAnother, callback] = [
        (await signIn(other.location, "ben")).parameters.get("code") ?? "",
        await signIn(location, "anna"),
      ];
      const { parameters = {}, cookie: shown = cookie } = made({ callback, cookie, codeOfAnother });
      const answer = await comeBack(
        server(),
        { ...callback, parameters: new Map([...callback.parameters, ...Object.entries(parameters)]) },
        shown,
      );
      expect([what, answer.code, answer.body.data, (await comeBack(server(), callback, cookie)).code]).toEqual([
        what,
        "324",
        undefined,
        "324",
      ]);
    }
    const { location, cookie } = await away(server(), "google");
    expect((await comeBack(server(), await signIn(location, "anna"), `${cookie}; ${cookie}`)).code).toBe("0");
  });

  test("takes its cookie under the name alone that belongs to the way to the callback, and takes back that one", async () => {
    const forms = { apple: "__Host-sallyport_login_", google: "sallyport_login_" } as const;
    for (const [provider, prefix] of Object.entries(forms)) {
      const start = async () => {
        const { location, cookie } = await away(server(), provider);
        expect(cookie).toMatch(new RegExp(`^${prefix}[0-9a-f]{8}=`));
        return {
          callback: await signIn(location, "anna"),
          cookie,
          renamed: cookie.replace(prefix, prefix === forms.apple ? forms.google : forms.apple),
        };
      };
      const [right, renamed, cased, both, outvoted] = [
        await start(),
        await start(),
        await start(),
        await start(),
        await start(),
      ];
      const { code, headers } = await comeBack(server(), right.callback, right.cookie);
      const attributes =
        provider === "apple"
          ? "Path=/; Max-Age=0; HttpOnly; SameSite=None; Secure"
          : "Path=/under/v1/google/callback; Max-Age=0; HttpOnly; SameSite=Lax";
      expect([code, headers["set-cookie"]]).toEqual(["0", [`${right.cookie.split("=")[0]}=; ${attributes}`]]);
      expect((await comeBack(server(), renamed.callback, renamed.renamed)).code).toBe("324");
      expect(
        (
          await comeBack(
            server(),
            cased.callback,
            cased.cookie.replace(/^[^=]*/, (name) =>
              prefix === forms.apple ? name.toLowerCase() : name.toUpperCase(),
            ),
          )
        ).code,
      ).toBe("324");
      // What somebody plants beside it under the other name neither helps nor hurts.
      expect(
        (
          await comeBack(
            server(),
            both.callback,
            `${both.renamed.replace(/=.*/, `=${"A".repeat(43)}`)}; ${both.cookie}`,
          )
        ).code,
      ).toBe("0");
      expect(
        (
          await comeBack(
            server(),
            outvoted.callback,
            `${outvoted.renamed}; ${outvoted.cookie.replace(/=.*/, `=${"A".repeat(43)}`)}`,
          )
        ).code,
      ).toBe("324");
    }
  });

  const form = "application/x-www-form-urlencoded";
  test.each([
    ["google", null, "state[]=a", "324"],
    ["google", null, "state[a]=b&code=c", "324"],
    ["google", null, "state=%00&code=%00", "324"],
    ["google", null, "state=%0d%0aSet-Cookie:%20a=b", "324"],
    ["google", null, "state=%ff", "324"],
    ["google", null, "__proto__=a&constructor=b", "324"],
    ["google", null, "redirect_uri=https://evil.example&return=//evil.example", "324"],
    ["google", null, `qb64=${Buffer.from("state=a&state=b").toString("base64url")}`, "307"],
    ["google", null, "state=a&state=b", "307"],
    ["google", null, "state=a&qb64=%7B%7D", "307"],
    ["google", form, "state=a", "207"],
    ["apple", form, "state=a&state=b", "307"],
    ["apple", form, "state[]=a", "324"],
    ["apple", form, "state=%00", "324"],
    ["apple", form, `code=${"c".repeat(20_000)}`, "307"],
    ["apple", form, `state=${"s".repeat(70_000)}`, "801"],
    ["apple", form, "", "300"],
    ["apple", "application/json", '{"state":"a"}', "207"],
    ["apple", "multipart/form-data; boundary=b", "--b--", "207"],
    ["apple", `${form}; charset=utf-16`, "state=a", "207"],
  ])("a callback of %s that is none is refused: %s %.40s", async (provider, contentType, sent, code) => {
    const address = `${server().url}/v1/${provider}/callback`;
    const answer =
      contentType === null
        ? await fetch(`${address}?${sent}`, { redirect: "manual" })
        : await fetch(address, {
            method: "POST",
            redirect: "manual",
            headers: { "content-type": contentType },
            body: sent,
          });
    const { status } = (await answer.json()) as { status: { internalStatus: string } };
    expect([
      status.internalStatus,
      ...["location", "set-cookie", "cache-control", "referrer-policy"].map((name) => answer.headers.get(name)),
    ]).toEqual([code, null, null, "no-store", "no-referrer"]);
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
  ] as const)("believes no id token with the fault %s", async (idToken) => {
    for (const type of ["google", "microsoft", "apple"] as const) {
      stage().imitation.misbehave(type, { idToken });
      const { code, body } = await logInAt(server(), type, "anna");
      expect([type, code, body]).toEqual([
        type,
        "324",
        { status: { internalStatus: "324", statusMessage: "Cannot assign DF user to oAuth account" } },
      ]);
    }
    expect(await links()).toEqual([]);
  });

  test("believes no access token that was made for another application", async () => {
    stage().imitation.misbehave("facebook", { debug: "otherApp" });
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
    stage().imitation.misbehave("google", { answers: { token } });
    expect(await logInAt(server(), "google", "anna")).toMatchObject({ code });
    expect(await links()).toEqual([]);
  });

  test("an e-mail address binds nobody", async () => {
    for (const name of ["anna@example.com", "ANNA@Example.com", "anna\u200B@example.com", "ａnna@example.com"]) {
      const [user] = await r().objects.insert([{ className: "User", attributes: { Name: name } }]);
      await r().accounts.create(
        { userId: user?.id ?? "", loginName: name, secret: "none", administrator: false, email: "anna@example.com" },
        name,
      );
    }
    expect(await dfUuidAt("google")).toEqual(expect.any(String));
    expect(await links()).toEqual([]);
  });

  test("credentials are judged before the dfUuid, which only success spends", async () => {
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
    const answers = await atOnce(() => link(server(), dfUuid));
    expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "324")]);
    expect(await links()).toHaveLength(1);
  });

  test("who shares a user does not shake his second factor off by binding himself anew", async () => {
    const { account } = await r().accounts.forProof("reader", []);
    const appName = "guarded by a factor";
    await r().applications.create({ name: appName, seats: null, secondFactor: "optional" });
    await register(stage(), server(), "google", { defaultUserId: account?.userId ?? null });
    try {
      const enter = (query = {}) => logInAt(server(), "google", "anna", { query });
      const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
      const guarded = (await enter({ appNames: appName })).body.data.sessionId;
      const { secret } = (await call(server(), path, { method: "POST", sessionId: guarded })).body.data;
      const authenticator = await Authenticator.of(server(), secret);
      const unlink = async (sessionId: string) =>
        (await call(server(), "/v1/auth/links/google", { method: "DELETE", sessionId })).code;
      expect(
        (await call(server(), path, { method: "PATCH", sessionId: guarded, body: { token: authenticator.token() } }))
          .code,
      ).toBe("0");
      expect([await unlink((await enter()).body.data.sessionId), (await enter({ appNames: appName })).code]).toEqual([
        "307",
        "341",
      ]);
      expect(
        (await call(server(), path, { method: "DELETE", sessionId: guarded, body: { token: authenticator.token(1) } }))
          .code,
      ).toBe("0");
      expect([await unlink(guarded), await links()]).toEqual(["0", []]);
    } finally {
      await register(stage(), server(), "google");
    }
  });

  test("whoever is let in only to set up a second factor binds nothing, and can do so once he has shown it", async () => {
    const appName = "demands a factor";
    await r().applications.create({ name: appName, seats: null, secondFactor: "forced" });
    const dfUuid = await dfUuidAt("google");
    const asking = { user: "reader", pass: "reader", appNames: [appName] };
    expect((await link(server(), dfUuid, asking)).code).toBe("340");
    const { sessionId } = (await link(server(), dfUuid, { ...asking, "2faEnrol": true })).body.data;
    expect(await links()).toEqual([]);
    const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
    const authenticator = await Authenticator.of(
      server(),
      (await call(server(), path, { method: "POST", sessionId })).body.data.secret,
    );
    expect((await link(server(), dfUuid, { ...asking, "2faToken": authenticator.wrong() })).code).toBe("342");
    expect((await link(server(), dfUuid, { ...asking, "2faToken": authenticator.token() })).code).toBe("0");
    expect(await links()).toHaveLength(1);
  });

  test("a dfUuid is good for nothing with another app key, and stays good with its own", async () => {
    const other = "app-key-of-somebody-else";
    await r().appKeys.create({ name: other, appNames: null, origins: [] }, new NodeDigests().sha256(other));
    const dfUuid = await dfUuidAt("google");
    const body = { user: "demo", pass: "demo", appNames: ["demo-app"], dfUuid };
    expect(await call(server(), "/v1/extLogin", { method: "POST", headers: { appkey: other }, body })).toMatchObject({
      status: 400,
      code: "324",
    });
    expect(await links()).toEqual([]);
    expect((await link(server(), dfUuid.toUpperCase())).code).toBe("0");
  });

  test("two databases know nothing of one another's links", async () => {
    await link(server(), await dfUuidAt("google"));
    expect((await logInAt(server(), "google", "anna", { alias: "/second" })).body.data).toHaveProperty("dfUuid");
    expect(await links("second")).toEqual([]);
  });

  test("new accounts get the default user, however many come at once, and see no one but themselves", async () => {
    const { account } = await r().accounts.forProof("reader", []);
    await register(stage(), server(), "google", { defaultUserId: account?.userId ?? null });
    try {
      const before = (await users()).length;
      const answers = await atOnce(() => logInAt(server(), "google", "anna"));
      expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["0"]));
      expect(await links()).toEqual([expect.objectContaining({ userId: account?.userId, shared: true })]);
      const ben = (await logInAt(server(), "google", "ben")).body.data;
      expect(ben.user.Name).toBe("reader");
      expect((await users()).length - before).toBe(2);
      expect((await call(server(), "/v1/auth/links", { sessionId: ben.sessionId })).body.data.links).toHaveLength(1);
      await call(server(), "/v1/auth/links/google", { method: "DELETE", sessionId: ben.sessionId });
      expect(await links()).toHaveLength(1);
      expect((await call(server(), "/v1/auth/links", { sessionId: answers[0]?.body.data.sessionId })).code).toBe("0");
      await r().accounts.setDisabled(account?.userId ?? "", true);
      expect((await logInAt(server(), "google", "chloe")).code).toBe("324");
      expect((await logInAt(server(), "google", "anna")).code).toBe("302");
      expect((await users()).length - before).toBe(2);
    } finally {
      await r().accounts.setDisabled(account?.userId ?? "", false);
      await register(stage(), server(), "google");
    }
  });
}
