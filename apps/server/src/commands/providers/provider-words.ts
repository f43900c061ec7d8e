import { type ProviderData, type ProviderType, ServiceError } from "@sallyport/core";
import { identifiers } from "../../composition/identifiers.ts";
import type { Configuration } from "../../configuration/index.ts";
import type { OpenedDatabase } from "../databases/with-database.ts";

/** The exact callback address; `null` while it is not known. */
export async function callbackOf(
  { container, database }: OpenedDatabase,
  type: ProviderType,
  data: ProviderData,
): Promise<string | null> {
  const addresses = await container.getAsync(identifiers.callbackAddresses);
  try {
    return addresses.of(database.alias, type, data);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 608) return null;
    throw error;
  }
}

/** What the configuration still lacks before anybody can log in with the provider. */
export function missingOf({ oAuthProviders }: Configuration, type: ProviderType, callback: string | null): string[] {
  const switchedOn = oAuthProviders.includes(type)
    ? []
    : [`The configuration does not switch it on yet: add {"name": "${type}"} to oAuthProviders.`];
  return callback === null
    ? [...switchedOn, "Where the provider is to send browsers back to is not known yet: set server.publicUrl."]
    : switchedOn;
}
