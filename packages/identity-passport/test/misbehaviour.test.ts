import type { AuthorizationAnswer, ProviderType } from "@sallyport/core";
import {
  type AnswerFault,
  answerFaults,
  type DebugFault,
  debugFaults,
  type Endpoint,
  marker,
  type Misbehaviour,
  type TokenFault,
  tokenFaults,
} from "@sallyport/provider-imitation";
import { imitatedProviders, type ImitatedProviders, logIn } from "./imitated-providers.ts";
import { toldOf } from "./told-of.ts";

const openId = ["google", "microsoft", "apple"] as const;

let world: ImitatedProviders;

beforeAll(async () => {
  world = await imitatedProviders();
});

afterEach(() => world.imitation.behave());

afterAll(() => world.close());

/** What a log-in comes to while the provider misbehaves; nothing that was said between the three may be in it. */
async function refusal(
  type: ProviderType,
  misbehaviour: Misbehaviour,
  timeout = 5_000,
): Promise<{ readonly code: number; readonly detail: string }> {
  const data = world.dataOf(type);
  const provider = world.providers({ timeout }).get(type)!;
  world.imitation.misbehave(type, misbehaviour);
  const secrets: string[] = [marker, "eyJ", "169.254", world.keyPath, data["clientSecret"] ?? "PRIVATE KEY"];
  const noteSecrets = (answer: AuthorizationAnswer) => {
    secrets.push(answer.state, answer.nonce, answer.codeVerifier, ...answer.parameters.values());
    return answer;
  };
  const error = await logIn(provider, data, "anna", noteSecrets).then(
    (profile) => expect(profile).toBe("refused"),
    (thrown: unknown) => thrown,
  );
  const told = toldOf(error);
  for (const secret of secrets) expect(told).not.toContain(secret);
  return error as { code: number; detail: string };
}

const detailOfToken: Readonly<Record<TokenFault, RegExp>> = {
  foreignKey: /signature/,
  unknownKey: /key that the provider does not have/,
  noKeyName: /names no key/,
  unsigned: /not signed as providers sign/,
  signedByPublicKey: /not signed as providers sign/,
  otherAudience: /another application/,
  severalAudiences: /another application/,
  otherParty: /another application/,
  otherIssuer: /another issuer/,
  otherDirectory: /another issuer/,
  expired: /over/,
  old: /over/,
  ahead: /claim/,
  noExpiry: /claim/,
  noNonce: /another log-in/,
  otherNonce: /another log-in/,
  noSubject: /claim/,
  longSubject: /nobody/,
  numericSubject: /nobody/,
  listedSubject: /nobody/,
  memberTwice: /twice/,
  accessTokenType: /no id token/,
  noToken: /no id token/,
};

describe.each(openId)("an id token of %s", (type) => {
  // Directories are Microsoft's; elsewhere the claim means nothing.
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
  test.each(answerFaults)("is answered with its code when it misbehaves: %s", async (fault) => {
    const path = paths[type][endpoint] ?? "";
    const before = world.imitation.requests.get(path) ?? 0;
    const error = await refusal(type, { answers: { [endpoint]: fault } }, slow.has(fault) ? 400 : 5_000);
    expect(error.code).toBe(codeOf(fault, endpoint));
    // Neither again nor where a redirect leads; a connection that was kept may have been closed before it was asked, so that is tried anew.
    expect(world.imitation.requests.get(path)).toBeLessThanOrEqual(before + (fault === "closes" ? 2 : 1));
  });
});

const detailOfDebug: Readonly<Record<DebugFault, RegExp>> = {
  otherApp: /another application/,
  otherUser: /another user/,
  notValid: /not valid/,
  expired: /over/,
  noUser: /nobody's/,
  otherKind: /not valid/,
};

test.each<[TokenFault, RegExp]>([
  ["noNonce", /another log-in/],
  ["otherNonce", /another log-in/],
  ["otherAudience", /another application/],
  ["noSubject", /another user/],
  ["memberTwice", /twice/],
  ["noToken", /no id token/],
])("an id token of Facebook is refused: %s", async (fault, detail) => {
  expect(await refusal("facebook", { idToken: fault })).toMatchObject({
    code: 324,
    detail: expect.stringMatching(detail),
  });
});

test.each(debugFaults)("an access token of Facebook is refused: %s", async (fault) => {
  expect(await refusal("facebook", { debug: fault })).toMatchObject({
    code: 324,
    detail: expect.stringMatching(detailOfDebug[fault]),
  });
});
