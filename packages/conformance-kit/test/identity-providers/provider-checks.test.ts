import {
  appliesTo,
  numberOfProviderChecks,
  providerChecks,
  providerFaults,
  runProviderCheck,
} from "@sallyport/conformance-kit";
import { imitatedProviders, type ImitatedProviders } from "../../../identity-passport/test/imitated-providers.ts";
import { providerUnderTest } from "../../../identity-passport/test/provider-under-test.ts";
import { type Hole, holes, NaiveProvider } from "./naive-provider.ts";

let world: ImitatedProviders;

beforeAll(async () => {
  world = await imitatedProviders();
});

afterAll(() => world.close());

/** The checks that a provider with these holes fails. */
async function failing(...wanted: readonly Hole[]): Promise<string[]> {
  const underTest = {
    ...providerUnderTest(world, "google"),
    create: ({ timeout }: { timeout: number }) => new NaiveProvider(world.imitation.url, timeout, wanted),
  };
  const failed: string[] = [];
  for (const check of providerChecks.filter((each) => appliesTo(underTest, each))) {
    await runProviderCheck(underTest, check).catch(() => failed.push(check.name));
  }
  return failed;
}

const faulty = (name: (typeof providerFaults)[number]["name"]) => {
  const { does, code } = providerFaults.find((each) => each.name === name)!;
  return `answers ${code} to a provider that ${does}`;
};

const afterFailures = expect.arrayContaining([faulty("serverError"), faulty("unsigned")]);

/** What the kit says about each hole, and nothing else. */
const caught: Readonly<Record<Hole, unknown>> = {
  trustsSignatures: [faulty("foreignSignature"), faulty("unknownKey"), faulty("unsigned"), faulty("signedByPublicKey")],
  takesAnyAlgorithm: [faulty("unsigned"), faulty("signedByPublicKey")],
  takesAnyKey: [faulty("unknownKey"), faulty("unsigned"), faulty("noProof")],
  ignoresAudience: [faulty("otherAudience")],
  ignoresParty: [faulty("otherParty")],
  ignoresIssuer: [faulty("otherIssuer")],
  ignoresExpiry: [faulty("expired")],
  needsNoExpiry: [faulty("noExpiry")],
  ignoresNonce: ["refuses a token that was made for another nonce with 324", faulty("noNonce"), faulty("otherNonce")],
  needsNoSubject: [faulty("noSubject")],
  ignoresState: ["refuses a callback of another log-in with 324"],
  sendsNoChallenge: expect.arrayContaining(["begins with the S256 challenge of the verifier"]),
  sendsNoVerifier: expect.arrayContaining([
    "tells the same identity at every log-in of a user, and another for another user",
  ]),
  begetsStates: expect.arrayContaining(["begins at an address with state and callback, and no secret"]),
  showsSecret: ["begins at an address with state and callback, and no secret"],
  takesAnyCallback: ["refuses a code that was given for another callback with 324"],
  identifiesByMail: ["tells the same identity at every log-in of a user, and another for another user"],
  followsRedirects: [faulty("redirects")],
  readsAnything: [faulty("huge")],
  readsRepetitions: [faulty("memberTwice")],
  readsAnyType: [faulty("otherType")],
  waitsForEver: [faulty("hangs"), faulty("trickles")],
  repeatsRefusals: expect.arrayContaining([faulty("refusesClient")]),
  blamesTheUser: [faulty("serverError")],
  fallsSilentAfterFailure: afterFailures,
  asksTwice: expect.arrayContaining(["takes a code once, of twenty at once and afterwards"]),
  acceptsAnything: expect.arrayContaining([
    "refuses additional data that are no object with 608",
    "refuses additional data in which something is missing or malformed with 608, without repeating any of them",
  ]),
  acceptsNothingTwice: expect.arrayContaining(["accepts additional data, and what it made of them"]),
  repeatsData: [
    "refuses additional data in which something is missing or malformed with 608, without repeating any of them",
  ],
  checksNothing: ["finds nothing wrong with data that the provider knows"],
  failsInItsOwnWords: expect.arrayContaining([faulty("notJson"), faulty("hangs")]),
};

test("a provider without holes passes", async () => {
  expect(await failing()).toEqual([]);
});

test.each(holes)("a provider is caught that %s", async (hole) => {
  expect(await failing(hole)).toEqual(caught[hole]);
});

test("the checks are as many as they say, each by a name of its own", () => {
  expect(providerChecks).toHaveLength(numberOfProviderChecks);
  expect(new Set(providerChecks.map(({ name }) => name)).size).toBe(numberOfProviderChecks);
});
