export type Json = Readonly<Record<string, unknown>>;

export interface Version {
  readonly stamp: number;
  readonly version: number;
  readonly fields: Json;
  readonly readers: readonly string[] | null;
  readonly state: "live" | "recycled" | "deleted";
}

export interface Item {
  readonly uuid: string;
  readonly className: string;
  /** The oldest first. */
  readonly versions: readonly Version[];
}

export interface ClassData {
  readonly base: string | null;
  readonly attributes: readonly {
    readonly name: string;
    readonly type: string;
    readonly read?: readonly string[];
    readonly onDelete?: string;
  }[];
  readonly rights: readonly { readonly group: string; readonly permissions: readonly string[] }[];
}

export interface SchemaData {
  readonly classes: readonly { readonly className: string; readonly fields: readonly string[] | null }[];
  readonly where: { readonly City: { readonly $ne: string } } | null;
  readonly conflicts: "client" | "server" | "reject";
  readonly pageSize: number;
}

export interface State {
  stamp: number;
  database: number;
  enabled: boolean;
  readonly users: Map<string, { readonly name: string; groups: readonly string[] }>;
  readonly groups: Map<string, string>;
  readonly classes: Map<string, ClassData>;
  readonly objects: Map<string, Item>;
  readonly schemas: Map<string, SchemaData>;
  readonly results: Map<string, { readonly digest: string; readonly result: Json }>;
}

export interface Caller {
  readonly id: string;
  readonly administrator: boolean;
  readonly groups: readonly string[];
}

/** A refusal with a code of the catalogue. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly restart = false,
  ) {
    super(`Refused: ${code}`);
  }
}

/** An intended fault of the server. */
export type ServerFault =
  | "sends objects to users that are not their readers"
  | "sends attributes that a user cannot read"
  | "sends references to unreadable objects"
  | "keeps the versions of a restored database"
  | "keeps the versions of other rights"
  | "does not recognise repeated changes"
  | "judges refused changes again"
  | "confirms a change without a write"
  | "overwrites fields without a merge"
  | "omits references to objects that become visible"
  | "keeps references to objects that vanish"
  | "omits what became of repeated changes"
  | "omits writes between two pages";

export const administrator: Caller = { id: "administrator", administrator: true, groups: [] };

/** Objects, rights and users in plain maps. */
export class ReferenceDatabase {
  protected state: State = {
    stamp: 0,
    database: 1,
    enabled: true,
    users: new Map(),
    groups: new Map(),
    classes: new Map(),
    objects: new Map(),
    schemas: new Map(),
    results: new Map(),
  };

  constructor(protected readonly fault?: ServerFault) {}

  protected now(uuid: string): Version | undefined {
    return this.state.objects.get(uuid)?.versions.at(-1);
  }

  protected live(uuid: string): Version {
    const current = this.now(uuid);
    if (current?.state !== "live") throw new Refusal(304);
    return current;
  }

  protected add(uuid: string, className: string, change: Partial<Version>): number {
    this.state.stamp += 1;
    const item = this.state.objects.get(uuid) ?? { uuid, className, versions: [] };
    const before = item.versions.at(-1) ?? { version: 0, fields: {}, readers: null, state: "live" as const };
    const after = { ...before, ...change, version: before.version + 1, stamp: this.state.stamp };
    this.state.objects.set(uuid, { ...item, versions: [...item.versions, after] });
    return after.version;
  }

  protected checkValues(className: string, fields: Json, caller: Caller): void {
    const { base = null, attributes = [] } = this.state.classes.get(className) ?? {};
    const inherited = base === null ? [] : (this.state.classes.get(base)?.attributes ?? []);
    for (const { name, type } of [...inherited, ...attributes])
      if (type === "number" && typeof (fields[name] ?? 0) !== "number") throw new Refusal(307);
    for (const target of Object.values(fields).flatMap(targetsOf))
      if (this.now(target)?.state !== "live" || !this.isReadable(target, caller)) throw new Refusal(307);
  }

  protected create(className: string, uuid: string, fields: Json): object {
    if (this.state.objects.has(uuid)) throw new Refusal(307);
    this.checkValues(className, fields, administrator);
    return { etag: this.add(uuid, className, { fields }) };
  }

  protected update(uuid: string, fields: Json): number {
    const { fields: before } = this.live(uuid);
    this.checkValues(this.state.objects.get(uuid)?.className ?? "", fields, administrator);
    return this.add(uuid, "", { fields: { ...before, ...fields } });
  }

  protected setReaders(uuid: string, readers: readonly string[] | null): object {
    this.live(uuid);
    return { readers, etag: this.add(uuid, "", { readers }) };
  }

  protected restoreObject(uuid: string): object {
    if (this.now(uuid)?.state !== "recycled") throw new Refusal(609);
    return { etag: this.add(uuid, "", { state: "live" }) };
  }

  protected remove(uuid: string, state: "recycled" | "deleted"): number {
    this.live(uuid);
    const referrers = [...this.state.objects.values()].flatMap((item) =>
      item.versions.at(-1)?.state === "live"
        ? Object.entries(item.versions.at(-1)?.fields ?? {})
            .filter(([, value]) => targetsOf(value).includes(uuid))
            .map(([name]) => ({ item, name }))
        : [],
    );
    if (referrers.some(({ item, name }) => name === "Parent" && item.uuid !== uuid)) throw new Refusal(718);
    for (const { item, name } of referrers) {
      const current = this.now(item.uuid);
      if (current?.state !== "live" || item.uuid === uuid) continue;
      if (name === "Customer") this.add(item.uuid, "", { state });
      else {
        const kept = (current.fields[name] as readonly unknown[]).filter((value) => !targetsOf(value).includes(uuid));
        this.add(item.uuid, "", { fields: { ...current.fields, [name]: kept } });
      }
    }
    return this.add(uuid, "", { state });
  }

  protected clearParents(className: string): object {
    for (const { uuid, className: own, versions } of Array.from(this.state.objects.values()))
      if (own === className && versions.at(-1)?.state === "live" && versions.at(-1)?.fields["Parent"] != null)
        this.update(uuid, { Parent: null });
    return { "~Count": 0 };
  }

  protected many(items: readonly { readonly path: string }[]): object {
    for (const { path } of items) {
      const uuid = path.split("/").at(-1) as string;
      if (this.now(uuid)?.state === "live") this.remove(uuid, "deleted");
    }
    return items.map(() => ({
      httpStatus: 200,
      result: { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
    }));
  }

  protected mayOn(className: string, { administrator: isAdministrator, groups }: Caller, permission: string): boolean {
    const { rights = [] } = this.state.classes.get(className) ?? {};
    return (
      isAdministrator ||
      rights.some(({ group, permissions }) => groups.includes(group) && permissions.includes(permission))
    );
  }

  /** Whether the caller can read the object; with a version, whether it could with the readers of that version. */
  protected isReadable(uuid: string, caller: Caller, version = this.now(uuid)): boolean {
    const item = this.state.objects.get(uuid);
    if (item === undefined || version === undefined) return false;
    if (caller.administrator) return true;
    if (!this.mayOn(item.className, caller, "read")) return false;
    const { readers } = version;
    return readers === null || readers.some((reader) => reader === caller.id || caller.groups.includes(reader));
  }

  protected attributesOf(className: string, { administrator: isAdministrator, groups }: Caller): string[] {
    const { base = null, attributes = [] } = this.state.classes.get(className) ?? {};
    const inherited = base === null ? [] : (this.state.classes.get(base)?.attributes ?? []);
    return [...inherited, ...attributes]
      .filter(({ read }) => isAdministrator || read === undefined || read.some((group) => groups.includes(group)))
      .map(({ name }) => name);
  }

  protected rendered(uuid: string, caller: Caller, names: readonly string[]): Json {
    const item = this.state.objects.get(uuid) as Item;
    const { fields, version } = this.live(uuid);
    const shown = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shown).filter((each) => each !== null);
      const [target] = targetsOf(value);
      if (target === undefined) return value ?? null;
      const isVisible = this.isReadable(target, caller) || this.fault === "sends references to unreadable objects";
      return this.now(target)?.state === "live" && isVisible ? { "~UUID": target } : null;
    };
    const meta = {
      "~ClassName": item.className,
      "~ObjectID": uuid,
      "~UUID": uuid,
      "~Version": version,
      "~StoreTime": "",
    };
    return { ...meta, ...Object.fromEntries(names.map((name) => [name, shown(fields[name])])) };
  }

  protected list(className: string, caller: Caller, query: URLSearchParams): object {
    if (!this.mayOn(className, caller, "read")) throw new Refusal(304);
    const without = /"\$ne":"([^"]+)"/.exec(query.get("query") ?? "")?.[1];
    const found = [...this.state.objects.values()].filter(
      (item) =>
        item.className === className &&
        item.versions.at(-1)?.state === "live" &&
        this.isReadable(item.uuid, caller) &&
        (without === undefined || item.versions.at(-1)?.fields["City"] !== without),
    );
    const names = this.attributesOf(className, caller);
    const elements = found.map(({ uuid }) => this.rendered(uuid, caller, names));
    return { "~Count": elements.length, "~UnfilteredCount": elements.length, "~Elements": elements };
  }
}

export function targetsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(targetsOf);
  return typeof value === "object" && value !== null && "~UUID" in value ? [String(value["~UUID"])] : [];
}
