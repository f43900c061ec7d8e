import { requireAccount } from "../access/index.ts";
import { linksOfUser, type ObjectId, type PageRequest, ServiceError } from "@sallyport/storage";
import {
  type IdentityProvider,
  type ListedLink,
  type ListedProvider,
  listLinks,
  providerTypeOf,
  type PutProviderInput,
  removeProvider,
  listProviders,
  findProvider,
  putProvider,
  type RegisteredProviders,
  type RegistrationServices,
} from "../identities/index.ts";
import { inTransaction, type Uses } from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";
import { contentVersion, replaceIfMatch, serialize, type Versioned } from "./replace-if-match.ts";

export interface RegisterProviderInput extends Omit<PutProviderInput, "provider"> {
  readonly type: string;
  /** The versions that the caller knows; `null` for a provider that must not be registered yet. */
  readonly expectedVersions: readonly number[] | null;
}

/** Registrations of identity providers. An unknown type is 304. */
export async function readProvider(
  context: AdministratorContext & Uses<RegistrationServices>,
  type: string,
): Promise<Versioned<ListedProvider>> {
  const content = await findProvider(context, providerOf(context, type).type);
  return { content, version: contentVersion(content, context.database.digests) };
}

/** Registers a provider, or replaces its registration. Unknown default user: 304. See `PutProvider` for other refusals. */
export function registerProvider(
  context: AdministratorContext & Uses<RegistrationServices>,
  { type, expectedVersions, ...entry }: RegisterProviderInput,
): Promise<Versioned<ListedProvider>> {
  const provider = providerOf(context, type);
  const { digests } = context.database;
  return inTransaction(context, async (inside) => {
    await serialize(inside.r, digests.sha256(resourceOf(provider)));
    const entries = await listProviders(inside);
    const current = entries.find((each) => each.type === provider.type);
    if (expectedVersions === null && current !== undefined)
      throw new ServiceError(307, { detail: "The provider is registered. The header If-Match is required." });
    if (expectedVersions !== null && !(current && expectedVersions.includes(contentVersion(current, digests))))
      throw new ServiceError(713, { detail: "Another request changed the resource." });
    const { defaultUserId } = entry;
    if (defaultUserId !== null) await requireAccount(inside.r, { id: defaultUserId });
    await putProvider(inside, { provider, ...entry });
    return readProvider(inside, type);
  });
}

/**
 * Checks that a registered provider is reachable and, where it can tell, accepts the client. Unknown, disabled or
 * unregistered: 698. Other failures: see `IdentityProvider`.
 */
export async function checkProvider(
  { database, origin, r, services }: AdministratorContext & Uses<{ readonly registeredProviders: RegisteredProviders }>,
  type: string,
): Promise<void> {
  const { registeredProviders } = services;
  const { provider, data } = await registeredProviders.find(type, database, r);
  await registeredProviders.calls.run(origin.network, () => provider.check(data));
}

export async function unregisterProvider(
  context: AdministratorContext & Uses<RegistrationServices>,
  { type, expectedVersions }: { readonly type: string; readonly expectedVersions: readonly number[] },
): Promise<void> {
  const provider = providerOf(context, type);
  await replaceIfMatch(context, {
    resource: resourceOf(provider),
    expectedVersions,
    read: async (r): Promise<ListedProvider | null> => {
      const entries = await listProviders({ ...context, r });
      return entries.find((each) => each.type === provider.type) ?? null;
    },
    write: (inside) => removeProvider(inside, provider.type),
  });
}

function providerOf(context: Uses<Pick<RegistrationServices, "supportedProviders">>, text: string): IdentityProvider {
  const type = providerTypeOf(text);
  const provider = type === null ? undefined : context.services.supportedProviders.get(type);
  if (provider === undefined) throw new ServiceError(304, { detail: "There is no provider of this type." });
  return provider;
}

function resourceOf({ type }: Pick<IdentityProvider, "type">): string {
  return `provider ${type}`;
}

/** Lists links by the id of their record, or all links of one user. */
export async function listLinksOf(
  context: Pick<AdministratorContext, "r">,
  { userId, page }: { readonly userId: ObjectId | null; readonly page: PageRequest },
): Promise<ListedLink[]> {
  if (userId === null) return listLinks(context, page);
  const { r } = context;
  const { account } = await r.accounts.find({ id: userId }, []);
  const links = (await linksOfUser(r.records, userId)).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return links
    .filter(({ id }) => page.after === null || id > page.after)
    .slice(0, page.limit)
    .map((link) => ({ link, user: account?.loginName ?? "" }));
}
