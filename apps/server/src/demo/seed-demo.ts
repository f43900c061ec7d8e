import {
  anyPort,
  type Attributes,
  type ClassDefinition,
  type ClassRight,
  confusableKeyOf,
  type Digests,
  type FileCipher,
  fileClass,
  type FileStore,
  linksOf,
  type NewObject,
  noFileCipher,
  type ObjectId,
  permissions,
  type Repositories,
  type Storage,
} from "@sallyport/storage";
import {
  addFile,
  type ClientHash,
  fileAttributes,
  Model,
  type PasswordHasher,
  UserNames,
  Applications,
  isEmptyDatabase,
  syncSchemaKind,
  typedPassword,
} from "@sallyport/core";
import { NodeRandomSource } from "@sallyport/crypto";
import { readModelFile } from "../configuration/index.ts";
import {
  demoCredentials,
  demoCustomers,
  demoDocument,
  type DemoCustomUserName,
  demoInvoices,
  demoSyncSchema,
  demoUsers,
  type DemoUser,
  type DemoUserName,
  demoUuid,
  documentCount,
  SeededRandom,
} from "./demo-records.ts";

export interface DemoParts {
  readonly hasher: PasswordHasher;
  readonly digests: Digests;
  readonly clientHash: ClientHash;
  /** Alias of the database. It seeds the generator of customers and invoices. */
  readonly alias: string;
  /** Store of the documents; `null` for a demo without them. */
  readonly files: FileStore | null;
  /** Default: none. */
  readonly fileCipher?: FileCipher;
}

/** `seeded`: added now. `present`: already there. `foreign`: the database has other data and was not changed. */
export type DemoState = "seeded" | "present" | "foreign";

/** Whether the demo credentials are valid in the database. */
export function containsDemo(state: DemoState | null | undefined): boolean {
  return state === "seeded" || state === "present";
}

const batchSize = 250;

/** Rolls back the transaction. */
class NotEmptyError extends Error {}

/**
 * Seeds a migrated, empty database in one transaction. Of several concurrent processes, one seeds and the others return
 * `present`.
 */
export async function seedDemo(storage: Storage, parts: DemoParts): Promise<DemoState> {
  if (await hasDemo(storage.repositories, parts.digests)) return "present";
  if (!(await isEmptyDatabase(storage.repositories))) return "foreign";
  const secrets = await hashPasswords(parts);
  const classes = await readModelFile();
  try {
    await storage.transaction((r) => seed(r, { ...parts, classes, secrets }));
    return "seeded";
  } catch (error) {
    if (!(error instanceof NotEmptyError)) throw error;
    return (await hasDemo(storage.repositories, parts.digests)) ? "present" : "foreign";
  }
}

/** Whether the app key of the demo exists. */
async function hasDemo({ admission }: Repositories, digests: Digests): Promise<boolean> {
  const appKey = digests.sha256(demoCredentials.appKey);
  return (await admission.admit({ appKey, session: null, idleTimeout: 60_000 })).appKey !== null;
}

type Secrets = ReadonlyMap<DemoUserName | DemoCustomUserName, string>;

interface SeedParts extends DemoParts {
  /** The classes of the default model file. */
  readonly classes: readonly ClassDefinition[];
  readonly secrets: Secrets;
}

async function hashPasswords({ hasher, digests, clientHash }: DemoParts): Promise<Secrets> {
  const hashed = [...demoCredentials.users, ...demoCredentials.customUsers].map(
    async ({ name, password }) => [name, await hasher.hash(typedPassword(password, clientHash, digests))] as const,
  );
  return new Map(await Promise.all(hashed));
}

async function seed(r: Repositories, parts: SeedParts): Promise<void> {
  if (!(await isEmptyDatabase(r))) throw new NotEmptyError();
  // The app key comes first: it is unique, so a concurrent seeder blocks here and then stops.
  const created = await r.appKeys.create(
    {
      name: "demo",
      appNames: null,
      origins: ["http://localhost", "http://127.0.0.1"].map((host) => host + anyPort),
      returnAddresses: ["http://localhost/callback", "http://127.0.0.1/callback"],
    },
    parts.digests.sha256(demoCredentials.appKey),
  );
  if (created === "nameTaken") throw new NotEmptyError();
  for (const app of demoCredentials.apps) await new Applications(r.records).create(app);
  const groups = await seedUsers(r, parts);
  await seedClasses(r, parts, groups);
  const random = new SeededRandom(`demo/${parts.alias}`);
  const customers = demoCustomers(random);
  const customerIds = await insertAll(r, parts, "Customer", customers);
  const names = new Map(customerIds.map((id, index) => [id, String(customers[index]?.["Name"])]));
  const invoices = demoInvoices(random, customerIds);
  const documents = await seedDocuments(r, parts, invoices.slice(-documentCount), names);
  const first = invoices.length - documents.length;
  const documented = invoices.map((invoice, index) =>
    index < first ? invoice : { ...invoice, Document: idAt(documents, index - first) },
  );
  await insertAll(r, parts, "Invoice", documented);
  await r.records.put(syncSchemaKind, demoSyncSchema.name, demoSyncSchema);
}

/** Creates the documents of invoices, with their bytes; none without a store. `customers`: names by id. */
async function seedDocuments(
  r: Repositories,
  parts: SeedParts,
  invoices: readonly Attributes[],
  customers: ReadonlyMap<ObjectId, string>,
): Promise<ObjectId[]> {
  const { files, fileCipher = noFileCipher, digests } = parts;
  if (files === null) return [];
  const random = new NodeRandomSource();
  const documents = invoices.map((invoice) => {
    const { text, ...described } = demoDocument(invoice, customers.get(String(invoice["Customer"])) ?? "");
    return { ...described, bytes: Buffer.from(text), sha256: digests.sha256(text) };
  });
  const attributes = documents.map((each) => fileAttributes({ ...each, size: each.bytes.length }));
  const ids = await insertAll(r, parts, fileClass, attributes);
  for (const [index, document] of documents.entries())
    await addFile({ files, fileCipher, r }, { ...document, objectId: idAt(ids, index) }, random);
  return ids;
}

/** Creates users, employees and their references. Returns the group ids by user. */
async function seedUsers(r: Repositories, parts: SeedParts): Promise<ReadonlyMap<DemoUserName, ObjectId>> {
  const { secrets } = parts;
  const insert = (className: string, attributes: (person: DemoUser, index: number) => Attributes) =>
    insertAll(r, parts, className, demoUsers.map(attributes));
  const groups = await insert("UserGroup", ({ group }) => ({ ...group }));
  const images = await insertAll(
    r,
    parts,
    "Image",
    demoUsers.flatMap(() => [{}, {}]),
  );
  const contacts = await insert("ContactPerson", ({ contact }, index) => ({
    ...contact,
    Bild: idAt(images, 2 * index),
  }));
  const employees = await insert("Employee", ({ employee }, index) => ({
    ...employee,
    Bild: idAt(images, 2 * index + 1),
    Mitarbeiteransprechpartner: idAt(contacts, index),
  }));
  const users = await insert("User", ({ user, description }, index) => ({
    Name: user,
    Description: description,
    Groups: [idAt(groups, index)],
    Employee: idAt(employees, index),
  }));
  for (const [index, { user, administrator }] of demoUsers.entries()) {
    await new UserNames(r.records, parts.digests).reserve({ id: idAt(users, index), name: user });
    const account = {
      userId: idAt(users, index),
      loginName: user,
      secret: secrets.get(user) as string,
      administrator,
      email: `${user}@example.com`,
    };
    const outcome = await r.accounts.create(account, confusableKeyOf(user));
    if (outcome === "nameTaken") throw new NotEmptyError();
  }
  for (const [index, { name, user, email }] of demoCredentials.customUsers.entries()) {
    const userId = idAt(
      users,
      demoUsers.findIndex((each) => each.user === user),
    );
    const account = {
      id: demoUuid(parts.digests, parts.alias, "Account", index),
      loginName: name,
      userId,
      email,
      secret: secrets.get(name) as string,
    };
    const outcome = await r.accounts.create(account, confusableKeyOf(name));
    if (outcome === "nameTaken") throw new NotEmptyError();
  }
  return new Map(demoUsers.map(({ user }, index) => [user, idAt(groups, index)]));
}

/** Adds the attributes that the demo needs. The database may have another model. */
async function seedClasses(
  { model }: Repositories,
  { classes }: SeedParts,
  groups: ReadonlyMap<DemoUserName, ObjectId>,
): Promise<void> {
  const rights: ClassRight[] = [
    { group: groups.get("demo") as ObjectId, permissions },
    { group: groups.get("reader") as ObjectId, permissions: ["read"] },
  ];
  const { generation, classes: stored } = await model.load();
  const byName = new Map(stored.map((each) => [each.name, each]));
  const put = classes.map((each) => extended(byName.get(each.name), each));
  const file = byName.get(fileClass);
  if (file !== undefined) put.push({ ...file, rights: [...file.rights, ...rights] });
  const outcome = await model.change({ put: [...put, ...demoClasses(rights)] }, generation);
  if (outcome === "stale") throw new NotEmptyError();
}

/** Adds the missing attributes to a class. */
function extended(
  stored: ClassDefinition | undefined,
  { attributes, ...definition }: ClassDefinition,
): ClassDefinition {
  if (stored === undefined) return { ...definition, attributes };
  const names = new Set(stored.attributes.map(({ name }) => name));
  return { ...stored, attributes: [...stored.attributes, ...attributes.filter(({ name }) => !names.has(name))] };
}

/** Inserts objects in batches. Returns their ids in the given order. */
async function insertAll(
  { objects }: Repositories,
  { classes, digests, alias }: SeedParts,
  className: string,
  all: readonly Attributes[],
): Promise<ObjectId[]> {
  const model = new Model({ generation: 0, classes: [...classes, ...demoClasses([])] });
  const prepared: NewObject[] = all.map((attributes, index) => {
    const links = linksOf(attributes, model.find(className)?.links ?? []);
    return { className, attributes, links, uuid: demoUuid(digests, alias, className, index) };
  });
  const ids: ObjectId[] = [];
  for (let start = 0; start < prepared.length; start += batchSize) {
    const stored = await objects.insert(prepared.slice(start, start + batchSize));
    ids.push(...stored.map(({ id }) => id));
  }
  return ids;
}

function idAt(ids: readonly ObjectId[], index: number): ObjectId {
  return ids[index] as ObjectId;
}

/** The business classes of the demo with these rights. */
function demoClasses(rights: readonly ClassRight[]): ClassDefinition[] {
  return [
    {
      name: "Customer",
      base: null,
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "City", type: "string" },
        { name: "Country", type: "string", indexed: true },
        { name: "Email", type: "string", indexed: true },
        { name: "Since", type: "date" },
        { name: "CreditLimit", type: "number" },
        { name: "Active", type: "boolean" },
      ],
      rights,
    },
    {
      name: "Invoice",
      base: null,
      attributes: [
        { name: "Number", type: "string", indexed: true },
        { name: "Date", type: "date", indexed: true },
        { name: "Due", type: "date" },
        { name: "Amount", type: "number" },
        { name: "Paid", type: "boolean" },
        { name: "Customer", type: "reference", target: "Customer", indexed: true },
        { name: "Document", type: "file" },
      ],
      rights,
    },
  ];
}
