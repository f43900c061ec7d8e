import { createHash } from "node:crypto";
import { administrationOf, type Database, type SyncSchemaInput, putSyncSchema } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn, type Sent } from "../client.ts";
import type { openSession } from "../open-session.ts";

export type Session = Awaited<ReturnType<typeof openSession>>;

/** Parsed JSON. */
type Json = ReturnType<typeof JSON.parse>;

const everything = ["read", "create", "write", "delete"];

/** Requests of synchronization against one server. */
export class SyncFixture {
  constructor(private readonly server: () => RunningServer) {}

  get database(): Database {
    return this.server().databases.get("") as Database;
  }

  put(schema: SyncSchemaInput): Promise<unknown> {
    return putSyncSchema(administrationOf(this.database), schema);
  }

  send(session: Session, method: Sent["method"], path: string, body?: object): Promise<Answer> {
    return callIn(this.server(), session, path, { method, ...(body === undefined ? {} : { body }) } as Sent);
  }

  /** The data of a success. */
  async data(session: Session, method: Sent["method"], path: string, body?: object): Promise<Json> {
    const { code, body: answer } = await this.send(session, method, path, body);
    if (code !== "0") throw new Error(`${method} ${path} answers ${code}.`);
    return answer.data;
  }

  pull(session: Session, schema: string, body: object): Promise<Answer> {
    return this.send(session, "POST", `/v1/sync/${schema}`, body);
  }

  /** All pages since a version, as one. */
  async pullAll(session: Session, schema: string, syncVersion: string, more: object = {}): Promise<Json> {
    const all = { changed: [] as Json[], deleted: [] as Json[], excluded: [] as string[] };
    for (let cursor: string | undefined; ; ) {
      const { data, status } = (await this.pull(session, schema, { syncVersion, ...more, cursor })).body;
      if (data === undefined) throw new Error(`A pull answers ${status.internalStatus}.`);
      expect(data.checksum).toBe(checksumOf(data));
      all.changed.push(...data.changed);
      all.deleted.push(...data.deleted);
      all.excluded.push(...data.excluded);
      if (!data.hasMore) return { ...all, syncVersion: data.syncVersion };
      ({ cursor } = data);
    }
  }

  /** A class of notes, which Sales can write and Readers can read. Its links name other notes. */
  async defineNotes(admin: Session, name: string, sales: readonly string[] = everything): Promise<void> {
    const groups = await this.data(admin, "GET", "/v1/objects/UserGroup");
    const idOf = (group: string) =>
      groups["~Elements"].find((each: Json) => each.Name === group)["~ObjectID"] as string;
    await this.data(admin, "PUT", `/v1/model/structure/${name}`, {
      attributes: [
        { name: "Title", type: "string" },
        { name: "Kind", type: "string" },
        { name: "Parent", type: "reference", target: name, onDelete: "clear" },
        { name: "Others", type: "collection", target: name },
      ],
      rights: [
        { group: idOf("Sales"), permissions: sales },
        { group: idOf("Readers"), permissions: ["read"] },
      ],
    });
  }
}

function checksumOf({ changed, deleted, excluded }: Json): string {
  const lines = [
    ...changed.map((each: Json) => `c ${each["~UUID"]} ${each["~Version"]}\n`),
    ...deleted.map((each: Json) => `d ${each.uuid} ${each.version}\n`),
    ...excluded.map((uuid: string) => `x ${uuid}\n`),
  ];
  return createHash("sha256").update(lines.join("")).digest("hex");
}

/** A client that keeps the objects that it pulled. */
export class Follower {
  private version = "0";
  readonly objects = new Map<string, Json>();

  constructor(
    private readonly fixture: SyncFixture,
    readonly session: Session,
    private readonly schema: string,
    private readonly more: object = {},
  ) {}

  /** Pulls all pages. Does `between` after each page. */
  async pull(between: () => Promise<unknown> = async () => {}): Promise<void> {
    for (let cursor: string | undefined; ; await between()) {
      const { code, body, headers } = await this.fixture.pull(this.session, this.schema, {
        syncVersion: this.version,
        ...this.more,
        cursor,
      });
      if (code === "330" && headers["sync-restart"] === "1") {
        [this.version, cursor] = ["0", undefined];
        this.objects.clear();
        continue;
      }
      const { changed, deleted, excluded, hasMore, syncVersion, checksum } = body.data;
      expect(checksum).toBe(checksumOf(body.data));
      if (this.version === "0") expect([deleted, excluded]).toEqual([[], []]);
      const named = [
        ...changed.map((each: Json) => each["~UUID"]),
        ...deleted.map((each: Json) => each.uuid),
        ...excluded,
      ];
      expect(new Set(named).size).toBe(named.length);
      for (const each of changed) this.objects.set(each["~UUID"], each);
      for (const uuid of [...deleted.map((each: Json) => each.uuid), ...excluded]) this.objects.delete(uuid);
      if (!hasMore) {
        this.version = syncVersion;
        return;
      }
      ({ cursor } = body.data);
    }
  }

  /** The objects, with the UUIDs of their references. */
  held(): ReadonlyMap<string, Json> {
    const target = (value: Json): Json => value?.["~UUID"] ?? null;
    return new Map(
      [...this.objects.values()].map((each) => [
        each["~UUID"],
        {
          version: each["~Version"],
          title: each.Title ?? null,
          kind: each.Kind ?? null,
          parent: target(each.Parent),
          others: (each.Others ?? []).map(target),
        },
      ]),
    );
  }
}
