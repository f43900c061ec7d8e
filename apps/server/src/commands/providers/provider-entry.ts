import {
  type ProviderData,
  type ProviderEntry,
  type ProviderType,
  providerTypeOf,
  providerTypes,
  ServiceError,
} from "@sallyport/core";
import { Argument } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import type { Configuration } from "../../configuration/index.ts";
import { CommandError } from "../command-group.ts";
import type { OpenedDatabase } from "../with-database.ts";

/** What is registered of a provider, as commands show it: without anything secret. */
export interface OpenedEntry extends Omit<ProviderEntry, "sealedData" | "defaultUserId"> {
  readonly switchedOn: boolean;
  /** Login name; `null` if there is none, or he is gone. */
  readonly defaultUser: string | null;
  /** The additional data by name; values of members that are secret are not told. */
  readonly data: Readonly<Record<string, string>>;
  /** What is wrong with them; `null` for nothing. */
  readonly fault: string | null;
  readonly callback: string | null;
}

export async function openedEntry(
  opened: OpenedDatabase,
  { type, name, appNames, sealedData, defaultUserId }: ProviderEntry,
): Promise<OpenedEntry> {
  const { container, database } = opened;
  const { oAuthProviders } = container.get(identifiers.configuration);
  const account =
    defaultUserId === null
      ? null
      : (await database.storage.repositories.accounts.find({ id: defaultUserId }, [])).account;
  const { data, fault } = await dataOf(opened, type, sealedData);
  const shown = Object.fromEntries(
    Object.entries(data).map(([member, value]) => [member, /secret/i.test(member) ? "***" : value]),
  );
  const known = {
    type,
    name,
    appNames,
    switchedOn: oAuthProviders.includes(type),
    defaultUser: account?.loginName ?? null,
  };
  return { ...known, data: shown, fault, callback: fault === null ? await callbackOf(opened, type, data) : null };
}

async function dataOf(
  { container }: OpenedDatabase,
  type: ProviderEntry["type"],
  sealed: string,
): Promise<{ readonly data: ProviderData; readonly fault: string | null }> {
  const provider = (await container.getAsync(identifiers.knownProviders)).get(type);
  const sealing = await container.getAsync(identifiers.providerSealing);
  try {
    return { data: provider?.accept(sealing.openData(sealed)) ?? {}, fault: null };
  } catch (error) {
    if (error instanceof ServiceError) return { data: {}, fault: error.detail ?? error.message };
    throw error;
  }
}

const words = `${providerTypes.slice(0, -1).join(", ")} or ${providerTypes.at(-1)}`;

/** The argument that names a provider. */
export function providerArgument(): Argument {
  return new Argument("<type>", words);
}

export function typeOf(word: string): ProviderType {
  const type = providerTypeOf(word);
  if (type === null) throw new CommandError(`"${word}" is no provider. There are ${words}.`);
  return type;
}

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
