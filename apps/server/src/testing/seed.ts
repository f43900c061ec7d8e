import { classDefinition, type ClassDefinitionData } from "@sallyport/contract";
import {
  builtInClasses,
  type ClassDefinition,
  fileClass,
  imageClass,
  type ObjectId,
  passwordSession,
  permissions,
  type SeatKind,
  ServiceError,
  systemPrincipal,
} from "@sallyport/storage";
import {
  administrationOf,
  type AdministratorContext,
  type Database,
  findGroups,
  type ClassRequest,
  MacroFault,
  type NewPassword,
  type PasswordPolicy,
  type SecondFactorRule,
  putClass,
  createObject,
  updateObject,
  putMacro,
  createApplication,
  createAppKey,
  createUser,
  addCustomUser,
  noHooks,
  type Services,
  type Uses,
} from "@sallyport/core";
import type { Container } from "inversify";
import { components } from "../composition/components.ts";
import { modelClasses } from "../configuration/model-file.ts";
import { objectsInOrder, resolved, type SeedObject } from "./references.ts";

/** A class as in a model file. Groups are names; without `rights`, all users have all rights. */
export interface SeedClass extends ClassDefinitionData {
  readonly name: string;
}

export interface SeedUser {
  readonly name: string;
  /** Default: the name. */
  readonly password?: string | undefined;
  /** The MD5 of a password, instead of a password. */
  readonly passwordDigest?: string | undefined;
  /** Names of groups, which are created if needed. */
  readonly groups?: readonly string[];
  readonly administrator?: boolean;
  readonly email?: string;
}

/** The content of a database. */
export interface Seed {
  readonly classes?: readonly SeedClass[];
  readonly groups?: readonly string[];
  readonly users?: readonly SeedUser[];
  readonly objects?: readonly SeedObject[];
  /** Sources by name, or a folder of sources. */
  readonly macros?: Readonly<Record<string, string>> | string;
  readonly customUsers?: readonly (Omit<SeedUser, "groups" | "administrator"> & { readonly user: string })[];
  readonly apps?: readonly {
    readonly name: string;
    readonly seats?: number | null;
    readonly seatKind?: SeatKind;
    readonly secondFactor?: SecondFactorRule;
  }[];
  readonly appKeys?: readonly {
    readonly name: string;
    readonly key: string;
    readonly appNames?: readonly string[] | null;
    readonly origins?: readonly string[];
    readonly returnAddresses?: readonly string[];
  }[];
}

/** A part of a seed that the service refuses. `place` is such as `users[2] ("ada")`. */
export class SeedFault extends TypeError {
  constructor(place: string, cause: unknown) {
    super(`${place}: ${cause instanceof ServiceError ? (cause.detail ?? cause.message) : (cause as Error).message}`, {
      cause,
    });
  }
}

/** Runs the work for a part of a seed. Rejects with a `SeedFault` if it is refused. */
async function placed<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const isRefusal = cause instanceof ServiceError || cause instanceof MacroFault || cause instanceof TypeError;
    throw isRefusal ? new SeedFault(place, cause) : cause;
  }
}

/** Runs the work for each named element of a list. */
async function forEach<T extends { readonly name: string }>(
  list: string,
  elements: readonly T[],
  work: (element: T) => Promise<unknown>,
): Promise<void> {
  for (const [index, element] of elements.entries())
    await placed(`${list}[${index}] ("${element.name}")`, () => work(element));
}

/**
 * The classes of a new database with these classes. Rights of groups follow once the groups exist. All users can use
 * files and images, unless the seed says otherwise.
 */
export async function initialModel({ classes = [] }: Seed): Promise<readonly ClassDefinition[]> {
  const names = new Set(classes.map(({ name }) => name));
  const bytes = builtInClasses.filter(({ name }) => (name === fileClass || name === imageClass) && !names.has(name));
  return modelClasses([
    ...classes.map((each) => ({ ...definitionOf(each, null), name: each.name })),
    ...bytes.map((each) => ({ ...each, rights: forAll })),
  ]);
}

const forAll = [{ group: "*", permissions }];

/** Adds content to a migrated database with the use cases of the service. Returns the ids of all names, with the known ones. */
export async function seedDatabase(
  container: Container,
  database: Database,
  seed: Seed,
  idsByName: ReadonlyMap<string, ObjectId> = new Map(),
): Promise<ReadonlyMap<string, ObjectId>> {
  const { classes = [], groups = [], users = [], objects = [], customUsers = [], apps = [], appKeys = [] } = seed;
  const services = await container.getAsync(components.services);
  const administration = { ...administrationOf(database), services };
  const usualApp = { seats: null, seatKind: "concurrent", secondFactor: "off" } as const;
  await forEach("apps", apps, (app) => createApplication(administration, { ...usualApp, ...app }));
  const usualKey = { appNames: null, origins: [], returnAddresses: [] };
  await forEach("appKeys", appKeys, (appKey) => createAppKey(administration, { ...usualKey, ...appKey }));

  const inRights = classes.flatMap(({ rights = [] }) => rights.map(({ group }) => group)).filter(isGroup);
  const named = [...new Set([...groups, ...inRights])];
  const found = await findGroups(database.storage.repositories.objects, named, true);
  const ids = new Map([...idsByName, ...named.map((name, index) => [name, found[index] as ObjectId] as const)]);

  const settings = { ...services.settings, customPasswordMinLength: 1 };
  const lenient = { ...administration, services: { ...services, passwordPolicy: anyPassword, settings } };
  await forEach("users", users, async (each) => {
    const { name, administrator = false, email = null, groups: memberOf = [], ...password } = each;
    const rights = administrator ? "all" : null;
    const user = { name, rights, email, groups: memberOf, createsGroups: true } as const;
    ids.set(name, await createUser(lenient, { ...user, ...passwordOf(name, password) }));
  });
  await forEach("customUsers", customUsers, ({ name, user, email = null, ...password }) =>
    addCustomUser(lenient, { name, user, email, ...passwordOf(name, password) }),
  );

  await grantRights(services, database, classes, ids);
  await createObjects(await contextOf(database, { ...services, objectHooks: noHooks }), objects, ids);
  await storeMacros(container, database, seed.macros ?? {});
  return ids;
}

/** Tests choose short passwords. */
const anyPassword = { accept: () => "" } as unknown as PasswordPolicy;

/** The given password or digest. Default: the name as password. */
function passwordOf(name: string, { password, passwordDigest }: NewPassword): NewPassword {
  return passwordDigest === undefined ? { password: password ?? name } : { password, passwordDigest };
}

const isGroup = (group: string): boolean => group !== "*";

/** `groups`: ids by name; `null` leaves rights of groups out. */
function definitionOf(
  { name: _name, rights = forAll, ...definition }: SeedClass,
  groups: ReadonlyMap<string, ObjectId> | null,
): ClassRequest {
  const granted = rights.filter(({ group }) => groups !== null || !isGroup(group));
  return classDefinition.parse({
    ...definition,
    rights: granted.map((right) => ({ ...right, group: groups?.get(right.group) ?? right.group })),
  });
}

async function grantRights(
  services: Services,
  database: Database,
  classes: readonly SeedClass[],
  ids: ReadonlyMap<string, ObjectId>,
): Promise<void> {
  await forEach("classes", classes, async (each) => {
    if (!(each.rights ?? []).some(({ group }) => isGroup(group))) return;
    const input = { name: each.name, definition: definitionOf(each, ids), expectedGenerations: null };
    await putClass(await contextOf(database, services), input);
  });
}

/** Creates objects without hooks. Adds their ids by name. */
async function createObjects(
  context: AdministratorContext & Uses<Services>,
  objects: readonly SeedObject[],
  ids: Map<string, ObjectId>,
): Promise<void> {
  const { ordered, later } = objectsInOrder(objects);
  const created = new Map<SeedObject, ObjectId>();
  const places = new Map(objects.map((each, index) => [each, `objects[${index}] (${each.name ?? each.className})`]));
  const create = async (each: SeedObject): Promise<void> => {
    const attributes = resolved(each, ids, later.get(each));
    const { object } = await createObject(context, each.className, attributes.now, { type: "oid" });
    created.set(each, object["~ObjectID"]);
    if (each.name !== undefined) ids.set(each.name, object["~ObjectID"]);
  };
  const complete = async (each: SeedObject, id: ObjectId): Promise<void> => {
    const attributes = resolved(each, ids, later.get(each)).later();
    if (Object.keys(attributes).length === 0) return;
    const input = { attributes, expectedVersions: null, serialization: { type: "oid" } } as const;
    await updateObject(context, { kind: "id", id }, input);
  };
  const placeOf = (each: SeedObject): string => places.get(each) ?? "objects";
  for (const each of ordered) await placed(placeOf(each), () => create(each));
  for (const [each, id] of created) await placed(placeOf(each), () => complete(each, id));
}

async function storeMacros(container: Container, database: Database, macros: NonNullable<Seed["macros"]>) {
  const moduleInspector = await container.getAsync(components.moduleInspector);
  const context = { ...administrationOf(database), services: { moduleInspector } };
  // The configuration of the database names a folder.
  const sources = typeof macros === "string" ? {} : macros;
  for (const [name, text] of Object.entries(sources)) {
    const macro = { name, text, language: "ts", changedBy: "test", expectedVersion: null } as const;
    await placed(`macros.${name}`, () => putMacro(context, macro));
  }
}

/** The context of a session that may do everything. */
async function contextOf(database: Database, services: Services): Promise<AdministratorContext & Uses<Services>> {
  const administration = administrationOf(database);
  const appKey = { id: "0", name: "seed", appNames: null, enabled: true, origins: [], returnAddresses: [] };
  const { modelGeneration, settingsGeneration } = await administration.r.admission.admit({
    appKey: null,
    session: null,
    idleTimeout: database.policy.sessions.idleTimeout,
  });
  return {
    ...administration,
    services,
    requestId: "seed",
    origin: { address: "127.0.0.1", network: "127.0.0.1" },
    modelGeneration,
    settingsGeneration,
    appKey,
    session: passwordSession(appKey.id, systemPrincipal.userId, []),
    sessionDigest: "",
    appKeyDigest: "",
    sessionEndedCode: 201,
    principal: systemPrincipal,
  };
}
