import { type ProviderData, type ProviderEntry, ServiceError } from "@sallyport/core";
import { identifiers } from "../../composition/identifiers.ts";
import type { OpenedDatabase } from "../databases/with-database.ts";
import { callbackOf } from "./provider-words.ts";

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
    defaultUserId === null ? null : (await database.storage.repositories.accounts.byUser(defaultUserId, [])).account;
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
