import { type ProviderType, providerTypes, seesAll } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { signIn } from "@sallyport/provider-imitation";
import type { RunningServer } from "../../src/index.ts";
import { call, checkSession } from "../client.ts";
import { Authenticator } from "../second-factor-client.ts";
import { appKey } from "../subject.ts";
import {
  away,
  begin,
  comeBack,
  link,
  logInAt,
  pkcePair,
  type Returned,
  returnAddress,
  returnFrom,
  trade,
} from "./browser.ts";
import { databaseOf, type ProviderStage, register, repositoriesOf } from "./provider-stage.ts";

const many = 12;
const oneOfMany = (refusal: string) => ["0", ...Array.from({ length: many - 1 }, () => refusal)];

/** Log-ins at providers that return to an app, at one server or at two of the same databases. */
export function returnSuite(servers: () => readonly [RunningServer, RunningServer], stage: () => ProviderStage): void {
  const server = () => servers()[0];
  const r = (alias = "") => repositoriesOf(server(), alias);
  const links = () => r().identityLinks.list(null, 100);
  const users = async () =>
    (await r().objects.find({ classes: ["xRestApiUserProvider"] }, seesAll, { offset: 0, limit: 100 })).objects.length;
  const bind = async (provider = "google") =>
    link(server(), (await logInAt(server(), provider, "anna")).body.data.dfUuid);
  const codeOf = async (given: Returned, ...more: [object?]) => (await trade(server(), given, ...more)).code;
  /** By turns at both servers. */
  const atOnce = (given: Returned) =>
    Promise.all(Array.from({ length: many }, (_, index) => trade(servers()[index % 2] as RunningServer, given)));

  beforeAll(async () => {
    for (const type of providerTypes)
      for (const alias of ["", "second"]) await register(stage(), server(), type, { alias });
  });
  beforeEach(async () => {
    stage().imitation.behave();
    for (const { id } of await links()) await r().identityLinks.remove({ id });
  });

  describe.each(providerTypes)("at %s", (type: ProviderType) => {
    test("a browser comes back with a code, which is traded for a dfUuid, and then for a session", async () => {
      const first = await returnFrom(server(), type, "anna");
      const { status, body, headers } = first.answer;
      expect({ status, body }).toEqual({
        status: 302,
        body: { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
      });
      expect(headers["location"]).toBe(`${returnAddress}?code=${first.code}`);
      expect(first.code).toMatch(/^[\w-]{43}$/);
      expect([headers["cache-control"], headers["referrer-policy"]]).toEqual(["no-store", "no-referrer"]);
      expect(headers["set-cookie"]).toEqual([
        expect.stringMatching(/^(?:__Host-)?sallyport_login_[0-9a-f]{8}=; Path=[^;]+; Max-Age=0; HttpOnly; /),
      ]);
      const unbound = await trade(server(), first);
      expect(unbound).toMatchObject({
        status: 200,
        code: "0",
        body: { status: { statusMessage: "A database user must be assigned" }, data: { dfUuid: expect.any(String) } },
      });
      expect(Object.keys(unbound.body.data)).toEqual(["dfUuid"]);
      expect((await link(server(), unbound.body.data.dfUuid)).code).toBe("0");

      const bound = await trade(server(), await returnFrom(server(), type, "anna"));
      expect(bound).toMatchObject({
        status: 200,
        body: {
          status: { statusMessage: "ok" },
          data: { sessionId: expect.any(String), databaseName: "demo", user: { Name: "demo" } },
        },
      });
      expect(bound.headers["cache-control"]).toBe("no-store");
      expect(await checkSession(server(), bound.body.data.sessionId)).toBe("0");
      expect(await codeOf(first)).toBe("324");
    });

    test("a browser comes back with an error when the user cancels", async () => {
      const { answer } = await returnFrom(server(), type, null);
      expect([answer.status, answer.code, answer.headers["location"]]).toEqual([
        302,
        "0",
        `${returnAddress}?error=324`,
      ]);
      expect(await links()).toEqual([]);
    });

    test("of many trades at once one is heard", async () => {
      await bind(type);
      const answers = await atOnce(await returnFrom(server(), type, "anna"));
      expect(answers.map(({ code }) => code).toSorted()).toEqual(oneOfMany("324"));
    });
  });

  test("of many trades at once one binds a new user, and one gets a dfUuid", async () => {
    const unbound = await atOnce(await returnFrom(server(), "google", "anna"));
    expect(unbound.map(({ code }) => code).toSorted()).toEqual(oneOfMany("324"));
    const { account } = await r().accounts.forProof("reader", []);
    await register(stage(), server(), "google", { defaultUserId: account?.userId ?? null });
    try {
      const before = await users();
      const given = await returnFrom(server(), "google", "ben");
      expect([await links(), await users()]).toEqual([[], before]);
      const answers = await atOnce(given);
      expect(answers.map(({ code }) => code).toSorted()).toEqual(oneOfMany("324"));
      expect([await links(), await users()]).toEqual([
        [expect.objectContaining({ userId: account?.userId, shared: true })],
        before + 1,
      ]);
    } finally {
      await register(stage(), server(), "google");
    }
  });

  const { challenge } = pkcePair();
  test.each<[string, Readonly<Record<string, string>>]>([
    ["no challenge", { returnTo: returnAddress }],
    ["a challenge alone", { challenge }],
    ["an empty address", { returnTo: "", challenge }],
    ["an empty challenge", { returnTo: returnAddress, challenge: "" }],
    ["a challenge of another form", { returnTo: returnAddress, challenge: "a".repeat(64) }],
    ["a challenge that is too long", { returnTo: returnAddress, challenge: "a".repeat(5_000) }],
    ["an address that is not listed", { returnTo: "https://evil.example/callback", challenge }],
    ["a host that begins like a listed one", { returnTo: "http://127.0.0.1.evil.example/callback", challenge }],
    ["user information", { returnTo: "http://127.0.0.1:80@evil.example/callback", challenge }],
    ["a path behind the listed one", { returnTo: `${returnAddress}/../other`, challenge }],
    ["a query", { returnTo: `${returnAddress}?code=1`, challenge }],
    ["a fragment", { returnTo: `${returnAddress}#`, challenge }],
    ["no scheme", { returnTo: "//127.0.0.1/callback", challenge }],
    ["another scheme", { returnTo: "https://127.0.0.1/callback", challenge }],
    ["a script", { returnTo: "javascript:alert(1)", challenge }],
    ["a header", { returnTo: `${returnAddress}\r\nSet-Cookie: a=b`, challenge }],
    ["an address that is too long", { returnTo: `${returnAddress}?${"a".repeat(2_048)}`, challenge }],
  ])("does not begin with %s", async (_what, query) => {
    const { status, code, headers } = await begin(server(), "google", { query });
    expect([status, code, headers["location"], headers["set-cookie"]]).toEqual([400, "307", undefined, undefined]);
  });

  test("does not begin with two addresses, nor with one that only another app key lists", async () => {
    const name = `lists ${Date.now()}`;
    const returnAddresses = ["https://app.example/back?at=1", "com.example.app:/back"];
    await r().appKeys.create({ name, appNames: null, origins: [], returnAddresses }, new NodeDigests().sha256(name));
    const of = (returnTo: string, key: string) =>
      begin(server(), "google", { query: { appkey: key, returnTo, challenge } }).then(({ code }) => code);
    for (const address of returnAddresses)
      expect([await of(address, name), await of(address, appKey)]).toEqual(["0", "307"]);
    expect(await of(returnAddress, name)).toBe("307");
    const twice = await fetch(
      `${server().url}/v1/auth/google?${new URLSearchParams([
        ["appkey", appKey],
        ["challenge", challenge],
        ["returnTo", returnAddress],
        ["returnTo", "https://evil.example"],
      ])}`,
      { redirect: "manual" },
    );
    expect([twice.status, twice.headers.get("location")]).toEqual([400, null]);
    const { answer } = await returnFrom(server(), "google", "anna", {
      query: { appkey: name, returnTo: returnAddresses[0] as string },
    });
    expect(answer.headers["location"]).toMatch(/^https:\/\/app\.example\/back\?at=1&code=[\w-]{43}$/);
  });

  test("an address that is given to the callback is nobody's", async () => {
    const { location, cookie } = await away(server(), "google", { query: { returnTo: returnAddress, challenge } });
    const { parameters, ...callback } = await signIn(location, "anna");
    const answer = await comeBack(
      server(),
      {
        ...callback,
        parameters: new Map([...parameters, ["returnTo", "https://evil.example"], ["challenge", challenge]]),
      },
      cookie,
    );
    expect(answer.headers["location"]?.startsWith(`${returnAddress}?code=`)).toBe(true);
    const plain = await away(server(), "google");
    const other = await signIn(plain.location, "anna");
    expect(
      await comeBack(
        server(),
        { ...other, parameters: new Map([...other.parameters, ["returnTo", returnAddress], ["challenge", challenge]]) },
        plain.cookie,
      ),
    ).toMatchObject({ status: 200, body: { data: { dfUuid: expect.any(String) } } });
  });

  test("a return in another browser, or a second one, is not redirected", async () => {
    const start = async () => {
      const { location, cookie } = await away(server(), "google", { query: { returnTo: returnAddress, challenge } });
      return { callback: await signIn(location, "anna"), cookie };
    };
    const [first, second] = [await start(), await start()];
    for (const cookie of [null, second.cookie, `${first.cookie.split("=")[0]}=${"A".repeat(43)}`]) {
      const { status, code, headers } = await comeBack(server(), (await start()).callback, cookie);
      expect([status, code, headers["location"]]).toEqual([400, "324", undefined]);
    }
    expect((await comeBack(server(), first.callback, first.cookie)).status).toBe(302);
    const again = await comeBack(server(), first.callback, first.cookie);
    expect([again.status, again.code, again.headers["location"]]).toEqual([400, "324", undefined]);
  });

  test.each([
    ["serverError", "706"],
    ["notJson", "324"],
    ["refusesClient", "608"],
  ] as const)("tells the app of a provider that %s", async (token, code) => {
    stage().imitation.misbehave("google", { answers: { token } });
    const { answer } = await returnFrom(server(), "google", "anna");
    expect([answer.status, answer.headers["location"], answer.body]).toEqual([
      302,
      `${returnAddress}?error=${code}`,
      { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
    ]);
  });

  const bodies: readonly (readonly [string, (given: Returned) => object, string])[] = [
    ["no code", ({ verifier }) => ({ verifier }), "324"],
    ["no verifier", ({ code }) => ({ code }), "324"],
    ["nothing", () => ({}), "324"],
    ["an unknown code", ({ verifier }) => ({ code: "A".repeat(43), verifier }), "324"],
    ["a blank code", ({ verifier }) => ({ code: "", verifier }), "324"],
    ["another verifier", ({ code }) => ({ code, verifier: pkcePair().verifier }), "324"],
    ["a short verifier", ({ code }) => ({ code, verifier: "short" }), "324"],
    ["a code that is a number", ({ verifier }) => ({ code: 1, verifier }), "307"],
    ["a code that is null", ({ verifier }) => ({ code: null, verifier }), "307"],
    ["a list of codes", ({ code, verifier }) => ({ code: [code], verifier }), "307"],
    ["a verifier that is an object", ({ code }) => ({ code, verifier: {} }), "307"],
    ["a token that is a number", ({ code, verifier }) => ({ code, verifier, "2faToken": 123_456 }), "307"],
    ["a wish that is a text", ({ code, verifier }) => ({ code, verifier, "2faEnrol": "true" }), "307"],
    [
      "members that nobody asks for",
      ({ code, verifier }) => ({ code, verifier, sessionId: "a", returnTo: "https://evil.example" }),
      "0",
    ],
  ];
  test.each(bodies)("a trade with %s", async (_what, made, expected) => {
    const { status, code, body } = await call(server(), "/v1/auth/code", {
      method: "POST",
      body: made(await returnFrom(server(), "google", "anna")),
    });
    expect([status, code]).toEqual([expected === "0" ? 200 : 400, expected]);
    if (expected !== "0") expect(body).not.toHaveProperty("data");
  });

  test("a trade takes the app key in a header, a body of JSON and nothing else", async () => {
    const given = await returnFrom(server(), "google", "anna");
    const asked = (headers: Record<string, string>, path = "/v1/auth/code") =>
      trade(server(), given, {}, { headers }).then(({ code }) => [path, code]);
    expect([await asked({ appkey: "" }), await asked({ appkey: "unknown" })]).toEqual([
      ["/v1/auth/code", "100"],
      ["/v1/auth/code", "101"],
    ]);
    expect(
      (await call(server(), `/v1/auth/code?code=${given.code}&verifier=${given.verifier}`, { method: "POST" })).code,
    ).toMatch(/^(?:207|300)$/);
    expect((await call(server(), `/v1/auth/code?code=${given.code}&verifier=${given.verifier}`)).code).toBe("305");
    const { sessionId } = (
      await call(server(), "/v1/login", { method: "POST", body: { user: "demo", pass: "demo", appNames: "demo-app" } })
    ).body.data;
    const items = [{ method: "POST", url: "/v1/auth/code", body: { code: given.code, verifier: given.verifier } }];
    const multi = await call(server(), "/v1/multi", { method: "POST", sessionId, body: items });
    expect(multi.body.data).toEqual([
      expect.objectContaining({
        httpStatus: 400,
        result: { status: expect.objectContaining({ internalStatus: "307" }) },
      }),
    ]);
    expect(await codeOf(given)).toBe("0");
  });

  test("a code is good for its app key and its database alone", async () => {
    const other = `another ${Date.now()}`;
    await r().appKeys.create(
      { name: other, appNames: null, origins: [], returnAddresses: ["http://127.0.0.1/callback"] },
      new NodeDigests().sha256(other),
    );
    const foreign = await returnFrom(server(), "google", "anna");
    expect((await trade(server(), foreign, {}, { alias: "/second" })).code).toBe("324");
    expect((await trade(server(), foreign, {}, { headers: { appkey: other } })).code).toBe("324");
    // A code that is shown with another key was stolen: it is over.
    expect(await codeOf(foreign)).toBe("324");
    const second = await returnFrom(server(), "google", "anna", { alias: "/second" });
    expect(await codeOf(second)).toBe("324");
    expect((await trade(server(), second, {}, { alias: "/second" })).code).toBe("0");
  });

  test("a wrong verifier ends a code, so that what one has caught is worth one guess", async () => {
    await bind();
    const given = await returnFrom(server(), "google", "anna");
    expect(await codeOf({ ...given, verifier: pkcePair().verifier })).toBe("324");
    expect(await codeOf(given)).toBe("324");
  });

  test("somebody else's code is worth nothing to an app that began a log-in of its own", async () => {
    await bind();
    const [attacker, victim] = [
      await returnFrom(server(), "google", "anna"),
      await returnFrom(server(), "google", "ben"),
    ];
    expect(await codeOf({ ...victim, code: attacker.code })).toBe("324");
    expect(await codeOf(attacker)).toBe("324");
    expect(await codeOf(victim)).toBe("0");
  });

  test("a disabled user is refused at the trade, and one app key as well that was disabled", async () => {
    await bind();
    const { account } = await r().accounts.forProof("demo", []);
    const [given, late] = [await returnFrom(server(), "google", "anna"), await returnFrom(server(), "google", "anna")];
    try {
      await r().accounts.setDisabled(account?.userId ?? "", true);
      expect(await codeOf(given)).toBe("302");
    } finally {
      await r().accounts.setDisabled(account?.userId ?? "", false);
    }
    expect(await codeOf(given)).toBe("324");
    const begun = await away(server(), "google", { query: { returnTo: returnAddress, challenge } });
    const callback = await signIn(begun.location, "anna");
    try {
      await r().appKeys.setEnabled("demo", false);
      expect(await codeOf(late)).toBe("101");
      expect((await comeBack(server(), callback, begun.cookie)).headers["location"]).toBe(`${returnAddress}?error=101`);
    } finally {
      await r().appKeys.setEnabled("demo", true);
    }
    expect(await codeOf(late)).toBe("0");
  });

  test("a second factor is asked for at the trade, and the code stays good for it", async () => {
    const appName = `guards its returns ${Date.now()}`;
    await r().applications.create({ name: appName, seats: null, secondFactor: "forced" });
    await bind();
    const query = { appNames: appName };
    const enrolling = await returnFrom(server(), "google", "anna", { query });
    expect(enrolling.code).not.toBe("");
    expect([await codeOf(enrolling), await codeOf(enrolling, { "2faToken": "123456" })]).toEqual(["340", "340"]);
    const { sessionId } = (await trade(server(), enrolling, { "2faEnrol": true })).body.data;
    expect(await codeOf(enrolling, { "2faEnrol": true })).toBe("324");
    const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
    const authenticator = await Authenticator.of(
      server(),
      (await call(server(), path, { method: "POST", sessionId })).body.data.secret,
    );
    expect(
      (await call(server(), path, { method: "PATCH", sessionId, body: { token: authenticator.token() } })).code,
    ).toBe("0");

    const given = await returnFrom(server(), "google", "anna", { query });
    expect([
      await codeOf(given),
      await codeOf(given, { "2faToken": authenticator.wrong() }),
      await codeOf(given, { "2faToken": authenticator.token() }),
    ]).toEqual(["341", "342", "342"]);
    const right = { "2faToken": authenticator.token(1) };
    const answers = await Promise.all(
      Array.from({ length: many }, (_, index) => trade(servers()[index % 2] as RunningServer, given, right)),
    );
    expect(answers.filter(({ code }) => code === "0")).toHaveLength(1);
    expect(answers.filter(({ code }) => code !== "0").every(({ code }) => code === "324" || code === "342")).toBe(true);
    expect(await codeOf(given, right)).toBe("324");
  });

  test("a token that came with the start is good for the trade", async () => {
    const appName = `takes tokens early ${Date.now()}`;
    await r().applications.create({ name: appName, seats: null, secondFactor: "optional" });
    await bind();
    const { sessionId } = (
      await trade(server(), await returnFrom(server(), "google", "anna", { query: { appNames: appName } }))
    ).body.data;
    const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
    const authenticator = await Authenticator.of(
      server(),
      (await call(server(), path, { method: "POST", sessionId })).body.data.secret,
    );
    expect(
      (await call(server(), path, { method: "PATCH", sessionId, body: { token: authenticator.token() } })).code,
    ).toBe("0");
    expect(
      await codeOf(
        await returnFrom(server(), "google", "anna", {
          query: { appNames: appName, "2faToken": authenticator.token(1) },
        }),
      ),
    ).toBe("0");
  });

  test("pages of an origin that the app key lists may trade, and no others", async () => {
    const given = await returnFrom(server(), "google", "anna");
    const preflight = (origin: string) =>
      call(server(), "/v1/auth/code", {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "appkey,content-type",
        },
      });
    expect((await preflight("http://127.0.0.1:51234")).headers["access-control-allow-origin"]).toBe(
      "http://127.0.0.1:51234",
    );
    expect((await preflight("https://evil.example")).headers["access-control-allow-origin"]).toBeUndefined();
    expect(
      (await trade(server(), given, {}, { headers: { origin: "http://127.0.0.1:51234" } })).headers[
        "access-control-allow-origin"
      ],
    ).toBe("http://127.0.0.1:51234");
  });

  test("keeps codes by their digests, sealed", async () => {
    const given = await returnFrom(server(), "google", "anna");
    const digest = new NodeDigests().sha256(given.code);
    const stored = JSON.stringify(await databaseOf(server()).storage.repositories.oneTime.read("returnCode", digest));
    expect(stored).toMatch(/^\{"sealed":"[\w-]+"\}$/);
    expect(await codeOf(given)).toBe("0");
    expect(await databaseOf(server()).storage.repositories.oneTime.read("returnCode", digest)).toBeNull();
  });
}
