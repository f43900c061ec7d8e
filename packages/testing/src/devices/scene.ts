import { type ClassDefinition, SallyportClient, SallyportError } from "@sallyport/client";
import { SallyportAdmin } from "@sallyport/client/admin";
import { memoryStorage, sync, SyncStore } from "@sallyport/client/sync";
import { groups, users } from "./random-scenario.ts";
import type { JsonObject } from "./network.ts";
import type { AccessState } from "./oracle/access-model.ts";
import type { ClassName, Permission, SchemaChange } from "./scenario.ts";
import type { World } from "./world.ts";

export const schemaName = "simulation";
export const classNames: readonly ClassName[] = ["Customer", "KeyCustomer", "Invoice"];
const appName = "sync-simulator";
const prefix = "Simulated";
/** A class that only the administrator can read, and the administrator's schema of all classes. */
const markerClass = `${prefix}Marker`;
const administratorSchema = "simulation-administrator";
/** Milliseconds after which a write must be visible. */
const visibleWithin = 60_000;

/** Attributes by class, and the classes of the targets of references. */
export const attributesOf: Readonly<Record<ClassName, readonly string[]>> = {
  Customer: ["Name", "City", "Note", "Limit", "Parent"],
  KeyCustomer: ["Name", "City", "Note", "Limit", "Parent", "Level"],
  Invoice: ["Name", "City", "Amount", "Customer", "Copies"],
};

export const references: ReadonlySet<string> = new Set(["Parent", "Customer", "Copies"]);

/** The name of a class on the server. */
export function wireName(className: ClassName): string {
  return prefix + className;
}

/** The name of a class in scenarios. */
export function plainName(className: string): ClassName {
  return className.slice(prefix.length) as ClassName;
}

const all: readonly Permission[] = ["read", "create", "write", "delete"];

/** All users are in group 0, which has all rights. Users 0 and 1 are also in group 1, user 2 in group 2. */
export const initialAccess: AccessState = {
  members: [new Set([0, 1]), new Set([0, 1]), new Set([0, 2])],
  rights: new Map(classNames.map((name) => [name, new Map([[0, all]])])),
  attributes: new Map(),
  readers: new Map(),
};

export const initialSchema: Required<SchemaChange> = {
  classes: ["Customer", "Invoice"],
  fields: null,
  without: null,
  conflicts: "client",
  pageSize: 500,
};

/** The administrator of a world, with the users, groups and classes of simulations. */
export class Scene {
  /** The pulled objects of the administrator. */
  private readonly pulled = new SyncStore(memoryStorage());

  private constructor(
    readonly world: World,
    private readonly administration: SallyportAdmin,
    /** The administrator in the ordinary routes. */
    readonly client: SallyportClient,
    readonly appKey: string,
    readonly userIds: readonly string[],
    readonly groupIds: readonly string[],
  ) {}

  /** Creates what is missing. The administrator's log-in must not need a second factor. */
  static async open(world: World): Promise<Scene> {
    const { baseUrl, alias = "", adminKey, administrator } = world;
    const fetch = world.servers[0] as World["servers"][number];
    const admin = new SallyportAdmin({ baseUrl, alias, appKey: adminKey, fetch });
    await admin.logIn(administrator);
    await admin.apps.get(appName).catch(() => admin.apps.create({ name: appName }));
    const name = `${appName} ${crypto.randomUUID()}`;
    const { key } = await admin.appKeys.create({ name, appNames: [appName] });
    const client = new SallyportClient({ baseUrl, alias, appKey: key, fetch });
    await client.logIn({ mode: "session", ...administrator, appNames: [appName] });
    const existing = { groups: await admin.groups.list({ limit: 500 }), users: await admin.users.list({ limit: 500 }) };
    const groupIds: string[] = [];
    for (let group = 0; group < groups; group += 1) {
      const existingGroup = existing.groups.items.find((each) => each.name === groupName(group));
      groupIds.push((existingGroup ?? (await admin.groups.create({ name: groupName(group) }))).groupId);
    }
    const userIds: string[] = [];
    for (let user = 0; user < users; user += 1) {
      const existingUser = existing.users.items.find((each) => each.name === userName(user));
      if (existingUser !== undefined) await admin.users.setPassword(existingUser.userId, passwordOf(key));
      const created = () => admin.users.create({ name: userName(user), password: passwordOf(key) });
      userIds.push((existingUser ?? (await created())).userId);
    }
    const scene = new Scene(world, admin, client, key, userIds, groupIds);
    for (let user = 0; user < users; user += 1) await scene.setMembers(user, initialAccess);
    for (const className of classNames) await scene.setClass(className, initialAccess);
    await client.putClass(markerClass, { base: null, attributes: [], rights: [] });
    const names = [wireName("Customer"), wireName("Invoice"), markerClass];
    await scene.putSchema(administratorSchema, {
      ...initialSchema,
      classes: names.map((className) => ({ className, fields: null })),
    });
    await scene.setSchema(initialSchema);
    await scene.setEnabled(true);
    return scene;
  }

  /** A client of a device, logged in as one of the users. */
  async logIn(user: number, fetch: World["servers"][number]): Promise<SallyportClient> {
    const { baseUrl, alias = "" } = this.world;
    const client = new SallyportClient({ baseUrl, alias, appKey: this.appKey, fetch });
    const password = passwordOf(this.appKey);
    await client.logIn({ mode: "session", user: userName(user), password, passwordHash: "none", appNames: [appName] });
    return client;
  }

  /** Sends a request of the administrator. Logs in again or proves the identity if necessary. */
  async administer<T>(work: (admin: SallyportAdmin) => Promise<T>): Promise<T> {
    try {
      return await work(this.administration);
    } catch (error) {
      if (!(error instanceof SallyportError)) throw error;
      if (error.code === 802) await this.administration.prove(this.world.administrator);
      else if (error.code >= 200 && error.code <= 204) await this.administration.logIn(this.world.administrator);
      else throw error;
      return work(this.administration);
    }
  }

  /** Replaces the groups of a user. */
  async setMembers(user: number, { members }: AccessState): Promise<void> {
    const id = this.userIds[user] as string;
    const of = [...(members[user] ?? [])].map((group) => this.groupIds[group] as string);
    await this.administer(async (admin) =>
      admin.users.change(id, { groups: of }, { ifMatch: await admin.users.get(id) }),
    );
  }

  /** Defines a class with its rights. */
  async setClass(className: ClassName, { rights, attributes }: AccessState): Promise<void> {
    const groupId = (group: number) => this.groupIds[group] as string;
    const read = (name: string) => {
      const readers = attributes.get(name);
      return readers === undefined ? {} : { read: readers.map(groupId) };
    };
    const granted = Array.from(rights.get(className) ?? [], ([group, permissions]) => ({
      group: groupId(group),
      permissions,
    }));
    const definition = definitions[className];
    await this.client.putClass(wireName(className), {
      ...definition,
      attributes: definition.attributes.map((attribute) => ({ ...attribute, ...read(attribute.name) })),
      rights: granted.filter(({ permissions }) => permissions.length > 0),
    });
  }

  /** Deletes all simulated objects. */
  async clear(): Promise<void> {
    const { client } = this;
    // References that refuse deletions.
    for (const className of ["Customer", "KeyCustomer"] as const)
      await client.updateObjects(wireName(className), { where: { Parent: { $ne: null } } }, { Parent: null });
    for (const className of [markerClass, ...(["Invoice", "KeyCustomer", "Customer"] as const).map(wireName)]) {
      const serialization = { type: "oid" } as const;
      const items: { readonly method: "DELETE"; readonly path: string }[] = [];
      for await (const { "~ObjectID": id } of client.objects(className, { perPage: 1_000, serialization }))
        items.push({ method: "DELETE", path: `/v1/object/${id}` });
      for (let start = 0; start < items.length; start += 50) await client.multi(items.slice(start, start + 50));
    }
  }

  /** Creates an object with this UUID, which only synchronization can. `null` if the server refuses it. */
  async create(className: string, uuid: string, fields: JsonObject): Promise<{ readonly version: number } | null> {
    const op = { id: crypto.randomUUID(), op: "put", uuid, syncVersion: "0", className, fields };
    const { data } = await this.client.request<{ readonly results: readonly { readonly version?: number }[] }>({
      method: "POST",
      path: `/v1/sync/${administratorSchema}/push`,
      body: { syncVersion: "0", limit: 1, ops: [op] },
    });
    const version = data.results[0]?.version;
    return version === undefined ? null : { version };
  }

  /** Waits until pulls contain all writes so far. On some engines, open transactions delay them. */
  async settle(): Promise<void> {
    const { client, pulled: store } = this;
    const schema = administratorSchema;
    const uuid = crypto.randomUUID();
    await this.create(markerClass, uuid, {});
    const until = Date.now() + visibleWithin;
    for (let wait = 0; Date.now() < until; wait = 1) {
      await sync({ client, schema, store, wait });
      if ((await store.get(schema, uuid)) !== undefined) return;
    }
    throw new Error(`The server shows no write within ${visibleWithin / 1_000} seconds.`);
  }

  /** Defines the schema of the simulation. */
  async setSchema({ classes, fields, without, conflicts, pageSize }: Required<SchemaChange>): Promise<void> {
    const covered = classes.map((name) => ({
      className: wireName(name),
      fields: name === "Customer" && fields !== null ? [...fields] : null,
    }));
    await this.putSchema(schemaName, { classes: covered, without, conflicts, pageSize });
  }

  private async putSchema(name: string, { classes, without, conflicts, pageSize }: SchemaDefinition): Promise<void> {
    const where = without === null ? null : { City: { $ne: without } };
    const definition = { classes, where, direction: "both", conflicts, pageSize } as const;
    await this.administer(async (admin) => {
      const before = await admin.sync.getSchema(name).catch(unlessKnown);
      await admin.sync.putSchema(name, definition, before === null ? {} : { ifMatch: before });
    });
  }

  /** Enables or disables synchronization. */
  async setEnabled(enabled: boolean): Promise<void> {
    await this.administer(async (admin) => admin.sync.setEnabled(enabled, { ifMatch: await admin.sync.get() }));
  }
}

interface SchemaDefinition extends Pick<Required<SchemaChange>, "without" | "conflicts" | "pageSize"> {
  readonly classes: { readonly className: string; readonly fields: string[] | null }[];
}

type Attribute = NonNullable<ClassDefinition["attributes"]>[number];

const toCustomer = (name: string, onDelete: Attribute["onDelete"]): Attribute => ({
  name,
  type: name === "Copies" ? "collection" : "reference",
  target: wireName("Customer"),
  onDelete,
});

/** A customer with a child cannot be deleted. Invoices are deleted with their customer. */
const definitions: Readonly<
  Record<ClassName, { readonly base: string | null; readonly attributes: readonly Attribute[] }>
> = {
  Customer: {
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "City", type: "string" },
      { name: "Note", type: "string" },
      { name: "Limit", type: "number" },
      toCustomer("Parent", "refuse"),
    ],
  },
  KeyCustomer: { base: wireName("Customer"), attributes: [{ name: "Level", type: "number" }] },
  Invoice: {
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "City", type: "string" },
      { name: "Amount", type: "number" },
      toCustomer("Customer", "cascade"),
      toCustomer("Copies", "clear"),
    ],
  },
};

function unlessKnown(error: unknown): null {
  if (error instanceof SallyportError && error.httpStatus < 500) return null;
  throw error;
}

function groupName(group: number): string {
  return `simulated group ${group}`;
}

function userName(user: number): string {
  return `simulated-${user}`;
}

/** A password that no one else knows and each device can compute. */
function passwordOf(appKey: string): string {
  return `${appKey}-Aa1`;
}
