import {
  type Application,
  Applications,
  findApplications,
  listedKeys,
  setAppKeyEnabled,
  type ScopedAppKey,
  withScopes,
  setApplicationSeats,
  setApplicationSecondFactor,
  type FactorServices,
} from "../access/index.ts";
import { allPages, type PageRequest, type Repositories, ServiceError } from "@sallyport/storage";
import type { AdministrationContext, Uses } from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";
import { contentVersion, replaceIfMatch, type Versioned } from "./replace-if-match.ts";

/** Lists app keys by name, with their scopes. */
export async function listAppKeys(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit }: PageRequest,
): Promise<ScopedAppKey[]> {
  const listed: ScopedAppKey[] = [];
  for (let last = after; ; ) {
    const page = await r.appKeys.list(last, limit);
    listed.push(...(await listedKeys(r, await withScopes(r, page))));
    last = page.at(-1)?.name ?? null;
    if (page.length < limit || listed.length >= limit) return listed.slice(0, limit);
  }
}

export async function findAppKey(
  { r, database }: Pick<AdministrationContext, "r" | "database">,
  id: string,
): Promise<Versioned<ScopedAppKey>> {
  const content = await readAppKey(r, id);
  return { content, version: contentVersion(content, database.digests) };
}

async function readAppKey(r: Repositories, id: string): Promise<ScopedAppKey> {
  const keys = await allPages(
    (page) => listAppKeys({ r }, page),
    ({ name }) => name,
  );
  const appKey = keys.find((key) => key.id === id);
  if (appKey === undefined) throw new ServiceError(304, { detail: "There is no app key with this id." });
  return appKey;
}

export interface EnableAppKeyInput {
  readonly id: string;
  readonly enabled: boolean;
  readonly expectedVersions: readonly number[];
}

/** Enables or disables an app key. 307 for disabling the key of the request. Unknown key: 304. Another version: 713. */
export async function enableAppKey(
  context: AdministratorContext,
  { id, enabled, expectedVersions }: EnableAppKeyInput,
): Promise<Versioned<ScopedAppKey>> {
  if (!enabled && id === context.appKey.id)
    throw new ServiceError(307, { detail: "The app key of the request cannot be disabled." });
  return replaceIfMatch(context, {
    resource: `app key ${id}`,
    expectedVersions,
    read: (r) => readAppKey(r, id),
    write: (inside, { name }) => setAppKeyEnabled(inside, { name, enabled }),
  });
}

/** An app name with the number of its taken seats. */
export interface AdministeredApp extends Application {
  readonly taken: number;
}

/** Lists app names by name. */
export async function listApps({ r }: Pick<AdministrationContext, "r">, page: PageRequest): Promise<AdministeredApp[]> {
  const listed = await new Applications(r.records).list(page.after, page.limit);
  return Promise.all(listed.map((each) => withTaken(r, each)));
}

/** The version does not depend on the taken seats. */
export async function findApp(
  { r, database }: Pick<AdministrationContext, "r" | "database">,
  name: string,
): Promise<Versioned<AdministeredApp>> {
  const application = await readApp(r, name);
  return { content: await withTaken(r, application), version: contentVersion(application, database.digests) };
}

async function readApp({ records }: Repositories, name: string): Promise<Application> {
  const [application] = await findApplications(records, [name]);
  if (application === undefined) throw new ServiceError(304, { detail: "There is no app name of this name." });
  return application;
}

async function withTaken({ sessions }: Repositories, application: Application): Promise<AdministeredApp> {
  const { name, seatKind: kind } = application;
  return { ...application, taken: await sessions.count({ name, kind }) };
}

export interface ChangeAppInput {
  readonly name: string;
  readonly change: { readonly [Member in keyof Omit<Application, "name">]?: Application[Member] | undefined };
  readonly expectedVersions: readonly number[];
}

/** Changes seats and second-factor rule of an app name. Unknown name: 304. Another version: 713. */
export async function changeApp(
  context: AdministratorContext & Uses<Pick<FactorServices, "factorSecrets">>,
  { name, change, expectedVersions }: ChangeAppInput,
): Promise<Versioned<AdministeredApp>> {
  await replaceIfMatch(context, {
    resource: `app ${name}`,
    expectedVersions,
    read: (r) => readApp(r, name),
    write: async (inside, current) => {
      const { seats = current.seats, seatKind = current.seatKind, secondFactor = current.secondFactor } = change;
      if (seats !== current.seats || seatKind !== current.seatKind)
        await setApplicationSeats(inside, { name, seats, seatKind });
      if (secondFactor !== current.secondFactor) await setApplicationSecondFactor(inside, { name, secondFactor });
    },
  });
  return findApp(context, name);
}
