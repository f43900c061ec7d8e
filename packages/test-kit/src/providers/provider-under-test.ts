import type { ProviderType } from "@sallyport/storage";
import type { ProviderFault, ProviderUnderTest } from "@sallyport/conformance-kit";
import { marker, type ProviderFaults, signIn } from "@sallyport/fake-identity-providers";
import type { FakeProviders } from "./fake-providers.ts";

/** Adapts a fake provider to the conformance kit. */
export function providerUnderTest(world: FakeProviders, type: ProviderType): ProviderUnderTest {
  const data = world.dataOf(type);
  return {
    name: type,
    proof: type === "facebook" ? "accessToken" : "idToken",
    hasPkce: type !== "apple",
    create: (options) => world.providers(options).get(type)!,
    data,
    secrets: data["clientSecret"] === undefined ? ["PRIVATE KEY"] : [data["clientSecret"]],
    users: ["anna", "ben"],
    signIn: async (address, person) => (await signIn(address, person)).parameters,
    injectFault: (fault) =>
      world.fakes.injectFaults(
        type,
        fault === null
          ? {}
          : ((type === "facebook" ? facebookFaults[fault] : undefined) ?? faults[fault] ?? impossible(fault)),
      ),
    words: marker,
  };
}

const exchange = (token: NonNullable<ProviderFaults["answers"]>["token"]): ProviderFaults => ({
  answers: token === undefined ? {} : { token },
});

const faults: Readonly<Partial<Record<ProviderFault, ProviderFaults>>> = {
  foreignSignature: { idToken: "foreignKey" },
  unknownKey: { idToken: "unknownKey" },
  unsigned: { idToken: "unsigned" },
  signedByPublicKey: { idToken: "signedByPublicKey" },
  otherAudience: { idToken: "otherAudience" },
  otherParty: { idToken: "otherParty" },
  otherIssuer: { idToken: "otherIssuer" },
  expired: { idToken: "expired" },
  noExpiry: { idToken: "noExpiry" },
  noNonce: { idToken: "noNonce" },
  otherNonce: { idToken: "otherNonce" },
  noSubject: { idToken: "noSubject" },
  noProof: { idToken: "noToken" },
  refusesClient: exchange("refusesClient"),
  serverError: exchange("serverError"),
  hangs: exchange("hangs"),
  trickles: exchange("trickles"),
  huge: exchange("huge"),
  redirects: exchange("redirectsToAnswer"),
  otherType: exchange("otherType"),
  notJson: exchange("notJson"),
  memberTwice: exchange("memberTwice"),
};

const facebookFaults: Readonly<Partial<Record<ProviderFault, ProviderFaults>>> = {
  otherAudience: { debug: "otherApp" },
  otherUser: { debug: "otherUser" },
  notValid: { debug: "notValid" },
  expired: { debug: "expired" },
  noSubject: { debug: "noUser" },
};

function impossible(fault: ProviderFault): never {
  throw new Error(`The fake provider does not support this: ${fault}`);
}
