import type { ConfigurationDocument } from "../schema/configuration-schema.ts";
import type { Contradiction } from "./contradiction.ts";

/** Providers that are listed twice, limits that do not go together, and what the server needs to log in with any. */
export function* providersContradictions(
  { oAuthProviders = [], encryption, providers, server }: ConfigurationDocument,
  demo: boolean,
): Generator<Contradiction> {
  for (const [index, { name }] of oAuthProviders.entries()) {
    const before = oAuthProviders.findIndex((other) => other.name === name);
    if (before === index) continue;
    yield {
      path: `oAuthProviders[${index}].name`,
      reason: `is the same provider as oAuthProviders[${before}].name`,
      against: [`oAuthProviders[${before}].name`],
    };
  }
  if (providers.underWay > 0 && providers.underWayPerNetwork > providers.underWay) {
    yield {
      path: "providers.underWayPerNetwork",
      reason: "must not be greater than underWay",
      against: ["providers.underWay", "providers.underWayPerNetwork"],
    };
  }
  // The demo knows its address, and makes a master key for itself.
  if (oAuthProviders.length === 0 || demo) return;
  if (encryption.masterKey === undefined) {
    yield {
      path: "encryption.masterKey",
      reason:
        "is required with oAuthProviders, because what is registered of a provider is kept under it; 'openssl rand -base64 32' makes one",
      against: ["oAuthProviders"],
    };
  }
  // Apple's callback address comes from what is registered of it.
  if (server.publicUrl === undefined && oAuthProviders.some(({ name }) => name !== "apple")) {
    yield {
      path: "server.publicUrl",
      reason: "is required with oAuthProviders: providers send browsers back to it",
      against: ["oAuthProviders"],
    };
  }
}
