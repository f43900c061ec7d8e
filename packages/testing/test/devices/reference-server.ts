import { createHash } from "node:crypto";
import {
  administrator,
  type Caller,
  type ClassData,
  type Item,
  type Json,
  ReferenceDatabase,
  Refusal,
  type SchemaData,
  targetsOf,
  type Version,
} from "./reference-database.ts";

interface Push extends Json {
  readonly ops?: readonly Change[];
}

interface Change {
  readonly id: string;
  readonly op: "put" | "delete";
  readonly uuid: string;
  readonly syncVersion: string;
  readonly className?: string;
  readonly fields?: Json;
  readonly base?: Json;
}

/**
 * Synchronization as the protocol describes it, on plain maps and without any speed. It has the requests that a
 * simulation sends, and no others.
 */
export class ReferenceServer extends ReferenceDatabase {
  private copy: typeof this.state | undefined;
  private databases = 1;
  /** With the signature of `fetch`. */
  readonly fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const headers = new Headers(init.headers);
    try {
      const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
      const caller = this.callerOf(headers.get("sessionid"));
      const data = this.answer(`${init.method ?? "GET"} ${url.pathname}`, { query: url.searchParams, body, caller });
      const { etag, ...rest } = data as Json & { readonly etag?: number };
      if (Array.isArray(data)) return envelope(200, "0", data, {});
      return envelope(200, "0", rest, etag === undefined ? {} : { etag: `"${etag}"` });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return envelope(400, String(error.code), undefined, error.restart ? { "sync-restart": "1" } : {});
    }
  };

  backUp(): void {
    this.copy = structuredClone(this.state);
  }

  restore(): void {
    if (this.copy === undefined) return;
    this.databases += 1;
    this.state = { ...structuredClone(this.copy), database: this.databases };
  }

  /** The caller of a session, whose id is that of the user. */
  private callerOf(session: string | null): Caller {
    const user = this.state.users.get(session ?? "");
    if (user === undefined) return administrator;
    return { id: session as string, administrator: false, groups: user.groups };
  }

  private answer(request: string, call: { query: URLSearchParams; body: unknown; caller: Caller }): object {
    const { query, caller } = call;
    const body = (call.body ?? {}) as Json;
    for (const [pattern, handle] of this.routes) {
      const found = pattern.exec(request);
      if (found !== null) return handle(decodeURIComponent(found[1] ?? ""), body, caller, query);
    }
    throw new Error(`The reference server has no ${request}.`);
  }

  private readonly routes: readonly (readonly [
    RegExp,
    (name: string, body: Json, caller: Caller, query: URLSearchParams) => object,
  ])[] = [
    [/^POST \/admin\/v1\/login$/, () => ({ sessionId: "administrator", user: {}, databaseName: "reference" })],
    [/^POST \/admin\/v1\/appKeys$/, () => ({ key: "key" })],
    [/^GET \/admin\/v1\/apps\/.+$/, (name) => ({ name })],
    [/^GET \/admin\/v1\/groups$/, () => ({ items: [], next: null })],
    [/^GET \/admin\/v1\/users$/, () => ({ items: [], next: null })],
    [/^POST \/admin\/v1\/groups$/, (_, { name }) => ({ groupId: added(this.state.groups, "G", String(name)) })],
    [
      /^POST \/admin\/v1\/users$/,
      (_, { name }) => ({ userId: added(this.state.users, "U", { name: String(name), groups: [] }) }),
    ],
    [/^GET \/admin\/v1\/users\/(.+)$/, () => ({ etag: 1 })],
    [
      /^PATCH \/admin\/v1\/users\/(.+)$/,
      (id, { groups }) => {
        const user = this.state.users.get(id);
        if (user !== undefined) user.groups = groups as string[];
        return {};
      },
    ],
    [/^GET \/admin\/v1\/sync$/, () => ({ etag: 1 })],
    [
      /^PATCH \/admin\/v1\/sync$/,
      (_, { enabled }) => {
        this.state.enabled = enabled === true;
        return {};
      },
    ],
    [
      /^GET \/admin\/v1\/sync\/schemas\/(.+)$/,
      (name) => {
        if (!this.state.schemas.has(name)) throw new Refusal(304);
        return { etag: 1 };
      },
    ],
    [
      /^PUT \/admin\/v1\/sync\/schemas\/(.+)$/,
      (name, definition) => {
        this.state.schemas.set(name, definition as unknown as SchemaData);
        return {};
      },
    ],
    [
      /^POST \/v1\/login$/,
      (_, { user }) => ({ sessionId: this.idOf(String(user)), user: {}, databaseName: "reference" }),
    ],
    [
      /^PUT \/v1\/model\/structure\/(.+)$/,
      (name, definition) => {
        this.state.classes.set(name, definition as unknown as ClassData);
        return {};
      },
    ],
    [/^PATCH \/v1\/objects\/(.+)$/, (name) => this.clearParents(name)],
    [/^GET \/v1\/objects\/(.+)$/, (name, _, caller, query) => this.list(name, caller, query)],
    [/^POST \/v1\/object\/([^/]+)\/restore$/, (uuid) => this.restoreObject(uuid)],
    [/^PUT \/v1\/object\/([^/]+)\/readers$/, (uuid, { readers }) => this.setReaders(uuid, readers as string[] | null)],
    [/^GET \/v1\/object\/([^/]+)$/, (uuid) => ({ etag: this.live(uuid).version })],
    [/^POST \/v1\/object\/([^/]+)$/, (name, { "~UUID": uuid, ...fields }) => this.create(name, String(uuid), fields)],
    [/^PATCH \/v1\/object\/([^/]+)$/, (uuid, fields) => ({ etag: this.update(uuid, fields) })],
    [
      /^DELETE \/v1\/object\/([^/]+)$/,
      (uuid, _, _caller, query) => {
        this.remove(uuid, query.has("moveToRecycler") ? "recycled" : "deleted");
        return {};
      },
    ],
    [/^POST \/v1\/multi$/, (_, body) => this.many(body as unknown as readonly { readonly path: string }[])],
    [/^GET \/v1\/sync$/, (_, _body, caller) => this.schemas(caller)],
    [/^POST \/v1\/sync\/([^/]+)$/, (name, body, caller) => this.pull(name, body, caller)],
    [/^POST \/v1\/sync\/([^/]+)\/push$/, (name, body, caller) => this.push(name, body as Push, caller)],
  ];

  private idOf(name: string): string {
    return [...this.state.users].find(([, user]) => user.name === name)?.[0] ?? "administrator";
  }

  /** The schema, with the readable fields of each covered class. */
  private view(name: string, caller: Caller) {
    if (!this.state.enabled) throw new Refusal(717);
    const schema = this.state.schemas.get(name);
    if (schema === undefined) throw new Refusal(333);
    const fields = new Map<string, readonly string[]>();
    for (const [className, { base }] of this.state.classes) {
      const covered = schema.classes.find((each) => each.className === className || each.className === base);
      if (covered === undefined || !this.mayOn(className, caller, "read")) continue;
      const reader = this.fault === "sends attributes that a user cannot read" ? administrator : caller;
      const readable = this.attributesOf(className, reader);
      fields.set(
        className,
        covered.fields === null ? readable : readable.filter((each) => covered.fields?.includes(each)),
      );
    }
    const { classes } = this.state;
    const database = this.fault === "keeps the versions of a restored database" ? 1 : this.state.database;
    const rights = [[...fields], [...caller.groups].toSorted(), caller.id, [...classes]];
    const parts = [database, schema, this.fault === "keeps the versions of other rights" ? [] : rights, null];
    const generation = parts.map((part) => `1${digits(JSON.stringify(part))}`).join("");
    return { schema, fields, generation };
  }

  private schemas(caller: Caller): object {
    const schemas = Array.from(this.state.schemas.keys(), (name) => {
      const { generation } = this.view(name, caller);
      return { name, syncVersion: generation + String(this.state.stamp).padStart(16, "0") };
    });
    return { schemas };
  }

  private pull(
    name: string,
    body: Json,
    caller: Caller,
    omit: ReadonlyMap<string, number> = new Map(),
    always: ReadonlySet<string> = new Set(),
  ): object {
    const { schema, fields, generation } = this.view(name, caller);
    const since = String(body["syncVersion"]);
    if (since !== "0" && !since.startsWith(generation)) throw new Refusal(330, true);
    const from = since === "0" ? 0 : Number(since.slice(generation.length));
    if (from > this.state.stamp) throw new Refusal(330, true);
    const cursor =
      body["cursor"] === undefined ? null : (JSON.parse(String(body["cursor"])) as [number, number, string]);
    if (cursor !== null && cursor[2] !== generation) throw new Refusal(330, true);
    const [after, upTo] = cursor ?? [from, this.state.stamp];
    const isCovered = ({ fields: values }: Version) =>
      schema.where === null || values["City"] !== schema.where.City.$ne;
    const moved = [...this.state.objects.values()].filter((item) => (item.versions.at(-1)?.stamp ?? 0) > from);
    const changedIds = new Set(moved.map(({ uuid }) => uuid));
    const isKept = (target: string): boolean =>
      this.fault === "keeps references to objects that vanish" &&
      !(this.now(target)?.state === "live" && this.isReadable(target, caller));
    const stampOf = (item: Item): number => {
      const own = item.versions.at(-1) as Version;
      // The first page has the state of each object that the device has written.
      if (always.has(item.uuid)) return after;
      if (own.stamp > from || this.fault === "omits references to objects that become visible") return own.stamp;
      // References change with the visibility of their targets.
      const targets = Object.values(own.fields)
        .flatMap(targetsOf)
        .filter((target) => changedIds.has(target) && !isKept(target));
      return Math.max(0, ...targets.map((target) => this.now(target)?.stamp ?? 0));
    };
    const entries = [...this.state.objects.values()]
      .filter(({ uuid, className }) => fields.has(className) || always.has(uuid))
      .map((item) => ({ item, stamp: stampOf(item) }))
      .filter(({ item, stamp }) => always.has(item.uuid) || (stamp > after && stamp <= upTo))
      .toSorted((one, other) => one.stamp - other.stamp);
    const limit = Number(body["limit"] ?? schema.pageSize);
    // Entries of one stamp stay together.
    const last = entries[limit - 1]?.stamp ?? upTo;
    const page = entries.filter(({ stamp }) => stamp <= last);
    const hasMore = page.length < entries.length;
    const [changed, deleted, excluded]: [Json[], Json[], string[]] = [[], [], []];
    for (const { item } of page) {
      const { uuid, className, versions } = item;
      const current = versions.at(-1) as Version;
      const isVisible =
        this.isReadable(uuid, caller, current) || this.fault === "sends objects to users that are not their readers";
      if (current.state === "live" && isVisible && isCovered(current) && fields.has(className)) {
        if (omit.get(uuid) !== current.version) changed.push(this.rendered(uuid, caller, fields.get(className) ?? []));
        continue;
      }
      const known = versions.toReversed().findIndex(({ stamp }) => stamp <= from);
      const relevant = known === -1 ? versions : versions.slice(versions.length - 1 - known);
      const wasKnown = since !== "0" && relevant.some((version) => this.isReadable(uuid, caller, version));
      if (!wasKnown && !always.has(uuid)) continue;
      if (current.state === "live") excluded.push(uuid);
      else deleted.push({ uuid, version: current.version });
    }
    const lines = [
      ...changed.map((each) => `c ${String(each["~UUID"])} ${String(each["~Version"])}\n`),
      ...deleted.map(({ uuid, version }) => `d ${String(uuid)} ${String(version)}\n`),
      ...excluded.map((uuid) => `x ${uuid}\n`),
    ];
    const checksum = createHash("sha256").update(lines.join("")).digest("hex");
    const end = this.fault === "omits writes between two pages" ? this.state.stamp : upTo;
    const position = hasMore
      ? { cursor: JSON.stringify([last, upTo, generation]) }
      : { syncVersion: generation + String(end).padStart(16, "0") };
    return { changed, deleted, excluded, hasMore, ...position, checksum, database: String(this.state.database) };
  }

  private push(name: string, { ops = [], ...body }: Push, caller: Caller): object {
    const { generation } = this.view(name, caller);
    const since = String(body["syncVersion"]);
    if (since !== "0" && !since.startsWith(generation)) throw new Refusal(330, true);
    // The device has no object of a repeated change: the changes contain it.
    const repeated = new Set(
      ops.filter(({ id }) => this.state.results.has(`${caller.id} ${id}`)).map(({ uuid }) => uuid),
    );
    const results = ops.map((change) => this.settle(name, change, caller));
    const omit = new Map(
      results.flatMap(({ uuid, version }) =>
        version === undefined || repeated.has(String(uuid)) ? [] : [[String(uuid), Number(version)] as const],
      ),
    );
    const always = this.fault === "omits what became of repeated changes" ? new Set<string>() : repeated;
    return { results, ...this.pull(name, body, caller, omit, always) };
  }

  private settle(name: string, change: Change, caller: Caller): Json {
    const { id, uuid } = change;
    const [key, contents] = [`${caller.id} ${id}`, digest(JSON.stringify(change))];
    const known = this.state.results.get(key);
    if (known !== undefined && this.fault !== "does not recognise repeated changes")
      return known.digest === contents ? known.result : { id, uuid, ...failed(332) };
    let result: Json;
    let object: Json = {};
    try {
      ({ object = {}, ...result } = this.execute(name, change, caller) as Json & { readonly object?: Json });
      result = { id, uuid, internalStatus: "0", statusMessage: "ok", ...result };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      result = { id, uuid, ...failed(error.code) };
    }
    const isKept = this.fault !== "judges refused changes again" || result["internalStatus"] === "0";
    if (isKept && Number(result["internalStatus"]) < 700) this.state.results.set(key, { digest: contents, result });
    return Object.keys(object).length === 0 ? result : { ...result, object };
  }

  private execute(name: string, change: Change, caller: Caller): Json {
    const { uuid, op, syncVersion, className, fields = {}, base } = change;
    const { schema, fields: covered } = this.view(name, caller);
    const item = this.state.objects.get(uuid);
    const current = item?.versions.at(-1);
    const isKnown =
      item !== undefined &&
      covered.has(item.className) &&
      this.isReadable(uuid, caller) &&
      (current?.state !== "live" || schema.where === null || current.fields["City"] !== schema.where.City.$ne);
    if (item === undefined && op === "put" && syncVersion === "0" && className !== undefined) {
      const names = covered.get(className);
      if (names === undefined || Object.keys(fields).some((each) => !names.includes(each))) throw new Refusal(332);
      if (!this.mayOn(className, caller, "create")) throw new Refusal(404);
      this.checkValues(className, fields, caller);
      return { objectId: uuid, version: this.add(uuid, className, { fields }), merged: [], conflicts: [] };
    }
    if (!isKnown || current === undefined) throw new Refusal(334);
    if (op === "delete") {
      if (current.state !== "live") throw new Refusal(609);
      if (!this.mayOn(item.className, caller, "delete")) throw new Refusal(404);
      return { version: this.remove(uuid, "deleted") };
    }
    if (current.state !== "live") throw new Refusal(610);
    const names = covered.get(item.className) ?? [];
    if (Object.keys(fields).some((each) => !names.includes(each))) throw new Refusal(332);
    if (!this.mayOn(item.className, caller, "write")) throw new Refusal(404);
    this.checkValues(item.className, fields, caller);
    return this.merge(change, { current, caller, names, policy: schema.conflicts, base });
  }

  private merge(
    { uuid, fields = {}, syncVersion }: Change,
    {
      current,
      caller,
      names,
      policy,
      base,
    }: {
      readonly current: Version;
      readonly caller: Caller;
      readonly names: readonly string[];
      readonly policy: SchemaData["conflicts"];
      readonly base: Json | undefined;
    },
  ): Json {
    const isStale = Number(syncVersion) !== current.version && this.fault !== "overwrites fields without a merge";
    const shown = this.rendered(uuid, caller, names);
    const moved = Object.keys(fields).filter(
      (name) => isStale && (base === undefined || !isSame(shown[name], base[name])),
    );
    const disputed = moved.filter((name) => !isSame(shown[name], fields[name]));
    const kept = policy === "server" ? "theirs" : "mine";
    const conflicts = disputed.map((field) => ({ field, theirs: shown[field], kept }));
    if (policy === "reject" && conflicts.length > 0)
      return { ...failed(332), conflicts: conflicts.map((each) => ({ ...each, kept: "theirs" })), object: shown };
    const written = Object.entries(fields).filter(([name]) => kept === "mine" || !disputed.includes(name));
    const stored = this.fault === "confirms a change without a write" ? [] : written;
    const version = this.add(uuid, "", { fields: { ...current.fields, ...Object.fromEntries(stored) } });
    const merged = moved.filter((name) => !disputed.includes(name));
    const after = this.rendered(uuid, caller, names);
    return { objectId: uuid, version, merged, conflicts, ...(isStale ? { object: after } : {}) };
  }
}
function envelope(status: number, internalStatus: string, data: unknown, headers: Record<string, string>): Response {
  const body = { status: { internalStatus, statusMessage: internalStatus === "0" ? "ok" : "refused" }, data };
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

function failed(code: number): Json {
  return { internalStatus: String(code), statusMessage: "refused" };
}

function added<T>(map: Map<string, T>, prefix: string, value: T): string {
  const id = `${prefix}${map.size + 1}`;
  map.set(id, value);
  return id;
}

function isSame(one: unknown, other: unknown): boolean {
  const canonical = (value: unknown) => JSON.stringify(value ?? null);
  return canonical(one) === canonical(other);
}

/** Seven digits. */
function digits(text: string): string {
  return String(Number.parseInt(digest(text).slice(0, 10), 16))
    .padStart(7, "0")
    .slice(-7);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
