import { type ProviderType, providerTypes } from "@sallyport/storage";
import { type AuthorizationAnswer } from "@sallyport/core";
import {
  accountNamed,
  type AnswerFault,
  answerFaults,
  type DebugFault,
  debugFaults,
  type Endpoint,
  type FakeAccount,
  marker,
  type ProviderFaults,
  signIn,
  type TokenFault,
  tokenFaults,
} from "@sallyport/fake-identity-providers";
import { OAuth2Server } from "oauth2-mock-server";
import {
  startFakeProviders,
  type FakeProviders,
  logIn,
  requestFor,
} from "@sallyport/test-kit/providers/fake-providers";
import { googleProvider } from "../src/client-secret-providers.ts";
import { GuardedClient } from "../src/guarded-client.ts";
import { resolveBySystem } from "../src/public-address.ts";
import { errorReportOf } from "./error-report-of.ts";

describe("keys of providers", () => {
  const keyPaths = {
    google: "/google/keys",
    microsoft: "/microsoft/common/discovery/v2.0/keys",
    apple: "/apple/auth/keys",
  } as const;

  let world: FakeProviders;

  beforeAll(async () => {
    world = await startFakeProviders();
  });

  afterEach(() => world.fakes.clearFaults());

  afterAll(() => world.close());

  describe.each(Object.entries(keyPaths) as [keyof typeof keyPaths, string][])("keys of %s", (type, path) => {
    const fetched = () => world.fakes.requests.get(path) ?? 0;

    test("are fetched once for many log-ins, and again after a rotation", async () => {
      const provider = world.providers().get(type)!;
      const before = fetched();
      await Promise.all(Array.from({ length: 10 }, () => logIn(provider, world.dataOf(type), "anna")));
      expect(fetched()).toBe(before + 1);

      await world.fakes.rotateKeys(type);
      await expect(logIn(provider, world.dataOf(type), "anna")).rejects.toMatchObject({
        code: 324,
        detail: "The provider does not have the key of the id token.",
      });
      expect(fetched()).toBe(before + 1);
      world.advance(30_000);
      expect(
        await Promise.all([logIn(provider, world.dataOf(type), "anna"), logIn(provider, world.dataOf(type), "ben")]),
      ).toMatchObject([{ name: "Anna" }, { name: "Ben" }]);
      expect(fetched()).toBe(before + 2);
    });

    test.each(["serverError", "hangs", "notJson"] as const)(
      "are valid for a while when the provider stops serving them: %s",
      async (fault) => {
        const provider = world.providers({ timeout: 2_000 }).get(type)!;
        await logIn(provider, world.dataOf(type), "anna");
        world.fakes.injectFaults(type, { answers: { keys: fault } });
        world.advance(2 * 3_600_000);
        expect(await logIn(provider, world.dataOf(type), "anna")).toMatchObject({ email: "anna@example.com" });
        world.advance(23 * 3_600_000);
        await expect(logIn(provider, world.dataOf(type), "anna")).rejects.toMatchObject({
          code: fault === "notJson" ? 324 : 706,
        });
        world.fakes.clearFaults();
        world.advance(5_000);
        expect(await logIn(provider, world.dataOf(type), "anna")).toMatchObject({ email: "anna@example.com" });
      },
    );
  });

  describe.each(["google", "facebook", "microsoft", "apple"] as const)("check of %s", (type) => {
    const checking = (data: Record<string, string>, timeout = 5_000) => {
      const provider = world.providers({ timeout }).get(type)!;
      return provider.check(provider.accept(data));
    };

    test("accepts data that the provider knows", async () => {
      await expect(checking(world.dataOf(type))).resolves.toBeUndefined();
    });

    test("reports clients and secrets that the provider does not know", async () => {
      const wrong = type === "apple" ? { teamId: "OTHERTEAM1" } : { clientSecret: "other-secret" };
      await expect(checking({ ...world.dataOf(type), ...wrong })).rejects.toMatchObject({ code: 608 });
      await expect(checking({ ...world.dataOf(type), clientId: "99999" })).rejects.toMatchObject({ code: 608 });
    });

    test("reports an unreachable provider", async () => {
      const endpoint = type === "facebook" ? "debug" : "keys";
      world.fakes.injectFaults(type, { answers: { [endpoint]: "hangs" } });
      await expect(checking(world.dataOf(type), 300)).rejects.toMatchObject({ code: 706 });
    });
  });
});

describe("log in", () => {
  const anna = accountNamed("anna") as FakeAccount;

  let world: FakeProviders;

  beforeAll(async () => {
    world = await startFakeProviders();
  });

  afterAll(() => world.close());

  describe.each(providerTypes)("log-in at %s", (type) => {
    const provider = () => world.providers().get(type)!;

    test("identifies the user by issuer and subject", async () => {
      const profile = await logIn(provider(), world.dataOf(type), "anna");
      const issuer = `https://${type}.fake.invalid${type === "microsoft" ? `/${anna.directory}/v2.0` : ""}`;
      expect(profile).toEqual({
        issuer,
        subject: anna.subject,
        name: anna.name,
        surname: anna.surname,
        email: anna.email,
      });
    });

    test("returns to the given callback, by the provider's method", async () => {
      const request = requestFor(type, provider().accept(world.dataOf(type)));
      const { address, method, parameters } = await signIn(await provider().begin(request), "chloe");
      expect({ address, method }).toEqual({ address: request.redirectUri, method: type === "apple" ? "POST" : "GET" });
      expect(parameters.get("state")).toBe(request.state);
      expect(await provider().finish({ ...request, parameters })).toMatchObject({ name: "Chloé", surname: "Exemple" });
    });

    test("is refused when the user cancels", async () => {
      await expect(logIn(provider(), world.dataOf(type), null)).rejects.toMatchObject({
        code: 324,
        detail: "The user cancelled the log-in at the provider.",
      });
    });

    test("succeeds once", async () => {
      const request = requestFor(type, provider().accept(world.dataOf(type)));
      const { parameters } = await signIn(await provider().begin(request), "anna");
      await provider().finish({ ...request, parameters });
      await expect(provider().finish({ ...request, parameters })).rejects.toMatchObject({ code: 324 });
    });
  });
});

describe("faults of a provider", () => {
  const openId = ["google", "microsoft", "apple"] as const;

  let world: FakeProviders;

  beforeAll(async () => {
    world = await startFakeProviders();
  });

  afterEach(() => world.fakes.clearFaults());

  afterAll(() => world.close());

  /** The outcome of a log-in at a misbehaving provider; it must contain nothing that the three parties exchanged. */
  async function refusal(
    type: ProviderType,
    faults: ProviderFaults,
    timeout = 5_000,
  ): Promise<{ readonly code: number; readonly detail: string }> {
    const data = world.dataOf(type);
    const provider = world.providers({ timeout }).get(type)!;
    world.fakes.injectFaults(type, faults);
    const secrets: string[] = [marker, "eyJ", "169.254", world.keyPath, data["clientSecret"] ?? "PRIVATE KEY"];
    const noteSecrets = (answer: AuthorizationAnswer) => {
      secrets.push(answer.state, answer.nonce, answer.codeVerifier, ...answer.parameters.values());
      return answer;
    };
    const error = await logIn(provider, data, "anna", noteSecrets).then(
      (profile) => expect(profile).toBe("refused"),
      (thrown: unknown) => thrown,
    );
    const report = errorReportOf(error);
    for (const secret of secrets) expect(report).not.toContain(secret);
    return error as { code: number; detail: string };
  }

  const detailOfToken: Readonly<Record<TokenFault, RegExp>> = {
    foreignKey: /signature/,
    unknownKey: /does not have the key/,
    noKeyName: /does not name its key/,
    unsigned: /unsupported signature algorithm/,
    signedByPublicKey: /unsupported signature algorithm/,
    otherAudience: /another application/,
    severalAudiences: /another application/,
    otherParty: /another application/,
    otherIssuer: /another issuer/,
    otherDirectory: /another issuer/,
    expired: /expired/,
    old: /expired/,
    ahead: /claim/,
    noExpiry: /claim/,
    noNonce: /another log-in/,
    otherNonce: /another log-in/,
    noSubject: /claim/,
    longSubject: /no subject/,
    numericSubject: /no subject/,
    listedSubject: /no subject/,
    memberTwice: /duplicate member/,
    accessTokenType: /not an id token/,
    noToken: /no id token/,
  };

  describe.each(openId)("id token of %s", (type) => {
    // Directories are Microsoft's; for others the claim means nothing.
    const faults = tokenFaults.filter((fault) => fault !== "otherDirectory" || type === "microsoft");

    test.each(faults)("is refused: %s", async (fault) => {
      expect(await refusal(type, { idToken: fault })).toMatchObject({
        code: 324,
        detail: expect.stringMatching(detailOfToken[fault]),
      });
    });
  });

  const silences = new Set<AnswerFault>(["serverError", "overloaded", "hangs", "hangsAfterHead", "trickles", "closes"]);
  const slow = new Set<AnswerFault>(["hangs", "hangsAfterHead", "trickles"]);

  const codeOf = (fault: AnswerFault, endpoint: Endpoint) => {
    if (silences.has(fault)) return 706;
    return fault === "refusesClient" && endpoint === "token" ? 608 : 324;
  };

  const places: readonly (readonly [ProviderType, Endpoint])[] = [
    ...openId.flatMap(
      (type) =>
        [
          [type, "token"],
          [type, "keys"],
        ] as const,
    ),
    ["facebook", "token"],
    ["facebook", "debug"],
    ["facebook", "profile"],
  ];

  const paths: Readonly<Record<ProviderType, Partial<Record<Endpoint, string>>>> = {
    google: { token: "/google/token", keys: "/google/keys" },
    microsoft: { token: "/microsoft/common/oauth2/v2.0/token", keys: "/microsoft/common/discovery/v2.0/keys" },
    apple: { token: "/apple/auth/token", keys: "/apple/auth/keys" },
    facebook: { token: "/facebook/oauth/access_token", debug: "/facebook/debug_token", profile: "/facebook/me" },
  };

  describe.each(places)("%s at its endpoint %s", (type, endpoint) => {
    test.each(answerFaults)("gives the error code of its misbehaviour: %s", async (fault) => {
      const path = paths[type][endpoint] ?? "";
      const before = world.fakes.requests.get(path) ?? 0;
      const error = await refusal(type, { answers: { [endpoint]: fault } }, slow.has(fault) ? 400 : 5_000);
      expect(error.code).toBe(codeOf(fault, endpoint));
      // Neither again nor at the target of a redirect; a kept connection may have been closed before its use, which
      // causes one retry.
      expect(world.fakes.requests.get(path)).toBeLessThanOrEqual(before + (fault === "closes" ? 2 : 1));
    });
  });

  const detailOfDebug: Readonly<Record<DebugFault, RegExp>> = {
    otherApp: /another application/,
    otherUser: /another user/,
    notValid: /invalid/,
    expired: /expired/,
    noUser: /no user/,
    otherKind: /invalid/,
  };

  test.each<[TokenFault, RegExp]>([
    ["noNonce", /another log-in/],
    ["otherNonce", /another log-in/],
    ["otherAudience", /another application/],
    ["noSubject", /another user/],
    ["memberTwice", /duplicate member/],
    ["noToken", /no id token/],
  ])("refuses an id token of Facebook: %s", async (fault, detail) => {
    expect(await refusal("facebook", { idToken: fault })).toMatchObject({
      code: 324,
      detail: expect.stringMatching(detail),
    });
  });

  test.each(debugFaults)("refuses an access token of Facebook: %s", async (fault) => {
    expect(await refusal("facebook", { debug: fault })).toMatchObject({
      code: 324,
      detail: expect.stringMatching(detailOfDebug[fault]),
    });
  });
});

describe("independent provider", () => {
  /** A provider by another author, with the paths of the fake one. */
  let server: OAuth2Server;
  let base: string;

  beforeAll(async () => {
    server = new OAuth2Server(undefined, undefined, {
      endpoints: { authorize: "/google/authorize", token: "/google/token", jwks: "/google/keys" },
    });
    await server.issuer.keys.generate("RS256");
    await server.start(0, "127.0.0.1");
    base = `http://127.0.0.1:${server.address().port}`;
    server.issuer.url = "https://google.fake.invalid";
  });

  afterAll(() => server.stop());

  const provider = () => {
    const client = new GuardedClient({ fakeProviders: base, allowPrivateAddresses: false, resolve: resolveBySystem });
    return googleProvider({ client, timeout: 5_000, fakeProviders: base, unknownKeyPause: 30_000 });
  };

  /** A log-in there, with its id token changed before it is signed. */
  async function logInWith(change: (payload: Record<string, unknown>) => void) {
    const one = provider();
    const request = requestFor("google", one.accept({ clientId: "sallyport", clientSecret: "secret" }));
    const onToken = (token: { payload: Record<string, unknown> }) => {
      if (token.payload["nonce"] !== undefined || token.payload["aud"] === "sallyport") change(token.payload);
    };
    server.service.on("beforeTokenSigning", onToken);
    try {
      const answer = await fetch(await one.begin(request), { redirect: "manual" });
      const { searchParams } = new URL(answer.headers.get("location") ?? "");
      return await one.finish({ ...request, parameters: new Map(searchParams) });
    } finally {
      server.service.off("beforeTokenSigning", onToken);
    }
  }

  test("a log-in at a provider by another author succeeds", async () => {
    const profile = await logInWith((payload) =>
      Object.assign(payload, { sub: "1234", given_name: "Anna", family_name: "Example", email: "anna@example.com" }),
    );
    expect(profile).toEqual({
      issuer: "https://google.fake.invalid",
      subject: "1234",
      name: "Anna",
      surname: "Example",
      email: "anna@example.com",
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ["for another application", { aud: "other" }],
    ["of another issuer", { iss: "https://other.example" }],
    ["that has expired", { exp: 1_000_000 }],
    ["of another log-in", { nonce: "other" }],
    ["without a subject", { sub: "" }],
  ])("refuses an id token %s", async (_, changes) => {
    await expect(logInWith((payload) => Object.assign(payload, changes))).rejects.toMatchObject({ code: 324 });
  });
});
