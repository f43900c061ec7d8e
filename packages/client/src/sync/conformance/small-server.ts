import type {
  PullPageData,
  PullRequestData,
  PushRequestData,
  PushResultData,
  SyncObjectData,
  PushedChangeData,
} from "@sallyport/contract";
import type { SallyportClient } from "../../client.ts";
import { TransportError } from "../../errors.ts";
import type { Fields } from "../object-state.ts";

interface Stored {
  readonly object: SyncObjectData;
  readonly stamp: number;
  readonly isDeleted: boolean;
}

type Result = PushResultData["results"][number];

/** A synchronizing server in memory, for checks of stores: one schema per name, the last write wins. */
export class SmallServer {
  /** Every change that has arrived, repetitions too. */
  readonly arrived: PushedChangeData[] = [];
  /** Every pull that has arrived. */
  readonly pulls: PullRequestData[] = [];
  /** Called before each answer. If it throws, the answer is lost. */
  beforeAnswer: (path: string) => void | Promise<void> = () => {};
  readonly #schemas = new Map<string, Map<string, Stored>>();
  readonly #results = new Map<string, Result>();
  #stamp = 1;

  /** A sender of requests. */
  readonly client: Pick<SallyportClient, "request"> = {
    request: async ({ path, body, signal }) => {
      signal?.throwIfAborted();
      const [, , , schema = "", action] = path.split("/");
      const data =
        action === "push"
          ? await this.#push(schema, body as PushRequestData)
          : await this.#pull(schema, body as PullRequestData);
      try {
        await this.beforeAnswer(path);
      } catch (cause) {
        throw new TransportError("unreachable", { cause });
      }
      const head = { httpStatus: 200, requestId: undefined, etag: undefined, headers: new Headers() };
      // As over a network: the parts of the answer belong to the receiver.
      return { ...head, message: "ok", data: JSON.parse(JSON.stringify(data)) };
    },
  };

  /** Writes an object, as another user would. */
  write(schema: string, uuid: string, fields: Fields, className = "Note"): SyncObjectData {
    const before = this.#objects(schema).get(uuid);
    this.#stamp += 1;
    const object = {
      ...before?.object,
      ...fields,
      "~ClassName": className,
      "~ObjectID": before?.object["~ObjectID"] ?? this.#stamp.toString(36).toUpperCase(),
      "~UUID": uuid,
      "~Version": (before?.object["~Version"] ?? 0) + 1,
      "~StoreTime": "20300101T000000+00:00",
    };
    this.#objects(schema).set(uuid, { object, stamp: this.#stamp, isDeleted: false });
    return object;
  }

  fieldsOf(schema: string, uuid: string): Fields | undefined {
    const stored = this.#objects(schema).get(uuid);
    if (stored === undefined || stored.isDeleted) return undefined;
    return Object.fromEntries(Object.entries(stored.object).filter(([name]) => !name.startsWith("~")));
  }

  #objects(schema: string): Map<string, Stored> {
    const objects = this.#schemas.get(schema) ?? new Map<string, Stored>();
    this.#schemas.set(schema, objects);
    return objects;
  }

  async #pull(schema: string, request: PullRequestData): Promise<PullPageData> {
    this.pulls.push(request);
    const { syncVersion, cursor, limit = 500 } = request;
    const [after = 0, upper = this.#stamp] = (cursor ?? syncVersion).split("-").map(Number);
    const changes = [...this.#objects(schema).values()]
      .filter(({ stamp }) => stamp > after && stamp <= upper)
      .toSorted((one, other) => one.stamp - other.stamp);
    const page = changes.slice(0, limit);
    const changed = page.filter(({ isDeleted }) => !isDeleted).map(({ object }) => object);
    const deleted = page
      .filter(({ isDeleted }) => isDeleted && syncVersion !== "0")
      .map(({ object }) => ({ uuid: object["~UUID"], version: object["~Version"] }));
    const lines = [
      ...changed.map((object) => `c ${object["~UUID"]} ${object["~Version"]}\n`),
      ...deleted.map(({ uuid, version }) => `d ${uuid} ${version}\n`),
    ];
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("")));
    const checksum = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const hasMore = changes.length > page.length;
    const end = hasMore ? { cursor: `${page.at(-1)?.stamp}-${upper}` } : { syncVersion: String(upper) };
    return { changed, deleted, excluded: [], hasMore, checksum, database: "small", ...end };
  }

  async #push(schema: string, { syncVersion, ops, limit }: PushRequestData): Promise<PushResultData> {
    this.arrived.push(...ops);
    const results = ops.map((change) => {
      const result = this.#results.get(change.id) ?? this.#execute(schema, change);
      this.#results.set(change.id, result);
      return result;
    });
    return { results, ...(await this.#pull(schema, { syncVersion, limit })) };
  }

  #execute(schema: string, { id, op, uuid, className, fields = {} }: PushedChangeData): Result {
    const stored = this.#objects(schema).get(uuid);
    if (stored?.isDeleted) return { id, uuid, internalStatus: op === "put" ? "610" : "609", statusMessage: "deleted" };
    const object = this.write(schema, uuid, fields, className ?? stored?.object["~ClassName"]);
    if (op === "delete") this.#objects(schema).set(uuid, { object, stamp: this.#stamp, isDeleted: true });
    const common = { id, uuid, internalStatus: "0", statusMessage: "ok", version: object["~Version"] };
    return op === "delete" ? common : { ...common, objectId: object["~ObjectID"], merged: [], conflicts: [] };
  }
}
