import { requireApplications } from "../access/index.ts";
import { type AuditedChange, type ProviderType, ServiceError } from "@sallyport/storage";
import { type AdministrationContext, changesBetween, type Uses } from "../request/index.ts";
import type { IdentityProvider, ProviderData } from "./identity-provider.ts";
import type { ProviderSealing } from "./provider-state.ts";
import { type CallbackAddresses, ProviderEntries, type ProviderEntry } from "./registered-providers.ts";

export interface PutProviderInput extends Pick<ProviderEntry, "name" | "defaultUserId" | "appNames"> {
  readonly provider: IdentityProvider;
  /** Unvalidated input. */
  readonly data: unknown;
}

const maxNameLength = 255;

/**
 * Registers a provider in a database and replaces an entry of the same type. Unknown app names: 208. Blank or too long
 * name: 307. Incomplete additional data: 608. No master key: 705.
 */
export async function putProvider(
  context: Pick<AdministrationContext, "r" | "unit" | "eventOf"> & Uses<{ readonly providerSealing: ProviderSealing }>,
  { provider, data, ...entry }: PutProviderInput,
): Promise<ProviderData> {
  const { r: outside, unit, eventOf } = context;
  if (entry.name.trim() === "" || entry.name.length > maxNameLength)
    throw new ServiceError(307, { detail: "The name must have 1 to 255 characters." });
  await requireApplications(outside, entry.appNames);
  const accepted = provider.accept(data);
  const sealedData = context.services.providerSealing.seal("data", accepted);
  const { type } = provider;
  await unit.transaction(async (r) => {
    const entries = new ProviderEntries(r.records);
    const changes = changesOf(context, await entries.find(type), { ...entry, data: accepted });
    await entries.put({ type, ...entry, sealedData });
    await r.audit.append(eventOf({ type: "provider.stored", providerName: type, changes }));
  });
  return accepted;
}

function changesOf(
  context: Uses<{ readonly providerSealing: ProviderSealing }>,
  before: ProviderEntry | null,
  { data, ...after }: Omit<PutProviderInput, "provider" | "data"> & { readonly data: ProviderData },
): readonly AuditedChange[] {
  const former = before === null ? null : { ...settingsOf(before), ...formerData(context, before) };
  return changesBetween(former, { ...settingsOf(after), ...placed(data) }).map(({ name, ...values }) => ({
    name,
    before: shownMember(name, values.before),
    after: shownMember(name, values.after),
  }));
}

/** Empty if another master key has sealed the data. */
function formerData(
  context: Uses<{ readonly providerSealing: ProviderSealing }>,
  { sealedData }: ProviderEntry,
): object {
  const data = context.services.providerSealing.open("data", sealedData);
  return typeof data === "object" && data !== null ? placed(data) : {};
}

type ProviderSettings = Pick<ProviderEntry, "name" | "appNames" | "defaultUserId">;

function settingsOf({ name, appNames, defaultUserId }: ProviderSettings): ProviderSettings {
  return { name, appNames, defaultUserId };
}

function placed(data: object): object {
  return Object.fromEntries(Object.entries(data).map(([member, value]) => [`data.${member}`, value]));
}

/** Replaces a secret member of additional data. */
function shownMember<Value>(member: string, value: Value): Value | "***" {
  return value !== null && /secret/i.test(member) ? "***" : value;
}

/** Removes the entry of a provider. Its links stay. Throws 304 if there is none. */
export async function removeProvider({ unit, eventOf }: AdministrationContext, type: ProviderType): Promise<void> {
  await unit.transaction(async (r) => {
    const entries = new ProviderEntries(r.records);
    const entry = await entries.find(type);
    if (entry === null || !(await entries.remove(type)))
      throw new ServiceError(304, { detail: `The provider ${type} is not registered.` });
    await r.audit.append(
      eventOf({ type: "provider.removed", providerName: type, changes: changesBetween(settingsOf(entry), null) }),
    );
  });
}

export interface ListedProvider extends Omit<ProviderEntry, "sealedData" | "defaultUserId"> {
  readonly enabled: boolean;
  /** Log-in name. `null` if no default user is set, or the user is deleted. */
  readonly defaultUser: string | null;
  /** The additional data by name, with secrets replaced by `***`. Empty if they cannot be read. */
  readonly data: Readonly<Record<string, string>>;
  /** The problem with the additional data, or `null`. */
  readonly fault: string | null;
  /** The exact callback address. `null` if it is unknown. */
  readonly callback: string | null;
}

/** Services of registrations. */
export interface RegistrationServices {
  readonly supportedProviders: ReadonlyMap<ProviderType, IdentityProvider>;
  readonly providerSealing: ProviderSealing;
  readonly callbackAddresses: CallbackAddresses;
  readonly settings: {
    readonly enabledProviders: readonly ProviderType[];
  };
}

/** Lists all entries by type. */
export async function listProviders(
  context: AdministrationContext & Uses<RegistrationServices>,
): Promise<ListedProvider[]> {
  const entries = await new ProviderEntries(context.r.records).list();
  return Promise.all(entries.map((entry) => listedProvider(context, entry)));
}

export interface ListedProviderType extends Pick<ListedProvider, "type" | "enabled" | "callback"> {}

/** Lists the types of providers that can be registered. */
export function listProviderTypes({
  database,
  services: { supportedProviders, callbackAddresses, settings },
}: Pick<AdministrationContext, "database"> & Uses<RegistrationServices>): ListedProviderType[] {
  return Array.from(supportedProviders.keys(), (type) => ({
    type,
    enabled: settings.enabledProviders.includes(type),
    callback: callbackAddresses.find(database.alias, type, {}),
  }));
}

/** Returns one entry. Throws 304 if the provider is not registered. */
export async function findProvider(
  context: AdministrationContext & Uses<RegistrationServices>,
  type: ProviderType,
): Promise<ListedProvider> {
  const entry = await new ProviderEntries(context.r.records).find(type);
  if (entry === null) throw new ServiceError(304, { detail: `The provider ${type} is not registered.` });
  return listedProvider(context, entry);
}

async function listedProvider(
  context: AdministrationContext & Uses<RegistrationServices>,
  { type, name, appNames, sealedData, defaultUserId }: ProviderEntry,
): Promise<ListedProvider> {
  const { database, r } = context;
  const account = defaultUserId === null ? null : (await r.accounts.find({ id: defaultUserId }, [])).account;
  const { data, fault } = openedProvider(context, type, sealedData);
  return {
    type,
    name,
    appNames,
    enabled: context.services.settings.enabledProviders.includes(type),
    defaultUser: account?.loginName ?? null,
    data: Object.fromEntries(Object.entries(data).map(([member, value]) => [member, shownMember(member, value)])),
    fault,
    callback: fault === null ? context.services.callbackAddresses.find(database.alias, type, data) : null,
  };
}

function openedProvider(
  context: Uses<Pick<RegistrationServices, "providerSealing" | "supportedProviders">>,
  type: ProviderType,
  sealed: string,
): { readonly data: ProviderData; readonly fault: string | null } {
  try {
    return {
      data:
        context.services.supportedProviders.get(type)?.accept(context.services.providerSealing.openData(sealed)) ?? {},
      fault: null,
    };
  } catch (error) {
    if (error instanceof ServiceError) return { data: {}, fault: error.detail ?? error.message };
    throw error;
  }
}
