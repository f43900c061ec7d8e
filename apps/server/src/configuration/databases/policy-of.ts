import type { DatabaseConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/configuration-schema.ts";

type DatabaseDocument = NonNullable<ConfigurationDocument["databases"]>[number];

/** The rules of one database: its own where it has some, else the common ones. */
export function policyOf(
  own: Pick<DatabaseDocument, "sessions" | "locks" | "objects" | "throttle" | "audit">,
  common: Pick<ConfigurationDocument, "sessions" | "locks" | "objects" | "throttle" | "audit">,
): Pick<DatabaseConfiguration, "sessions" | "locks" | "objects" | "throttle" | "audit"> {
  const { idleTimeout, absoluteLifetime, limit, perUserLimit, perDevice } = common.sessions;
  return {
    sessions: overlay({ idleTimeout, absoluteLifetime, limit, perUserLimit, perDevice }, own.sessions),
    locks: overlay(common.locks, own.locks),
    objects: overlay(common.objects, own.objects),
    throttle: {
      user: overlay(common.throttle.user, own.throttle?.user),
      address: overlay(common.throttle.address, own.throttle?.address),
    },
    audit: overlay(common.audit, own.audit),
  };
}

function overlay<T extends object>(below: T, above: { readonly [K in keyof T]?: T[K] | undefined } = {}): T {
  const given = Object.entries(above).filter(([, value]) => value !== undefined);
  return { ...below, ...Object.fromEntries(given) };
}
