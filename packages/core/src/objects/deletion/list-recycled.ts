import { visibilityOf } from "../../model/index.ts";
import { requestModel, type SessionContext } from "../../request/index.ts";
import type { ObjectId, SortKey } from "../../storage/index.ts";
import { type CursorSealing, positionOf } from "../query/cursor.ts";

export interface ListRecycledInput {
  readonly perPage: number;
  /** Goes on behind it; from the first unless given. */
  readonly cursor: string | undefined;
}

/** An element of the list; all times as `~StoreTime` is written. */
export interface RecycledElement {
  readonly "~ClassName": string;
  readonly "~ObjectID": ObjectId;
  readonly "~UUID": string;
  readonly "~StoreTime": string;
  /** Who deleted it; `null` if that is unknown. */
  readonly "~DeletedBy": ObjectId | null;
}

export interface ListedRecycled {
  readonly elements: readonly RecycledElement[];
  /** Where the list goes on; `null` when the page was not full. */
  readonly next: string | null;
}

/** The newest first. */
const order: readonly SortKey[] = [{ path: { hops: [], leaf: "~StoreTime", type: "time" }, descending: true }];

/**
 * Lists what the caller has recycled and could read, the newest first; administrators are shown what all users have recycled. Of
 * objects that were recycled together, the one that took the others along is listed. A cursor of another list: 307.
 */
export class ListRecycled {
  constructor(private readonly cursors: CursorSealing) {}

  async listRecycled(context: SessionContext, { perPage, cursor }: ListRecycledInput): Promise<ListedRecycled> {
    const { r, database, principal } = context;
    const visibility = visibilityOf(principal, await requestModel(context));
    const deletedBy = principal.administrator ? null : principal.userId;
    const list = `recycler ${deletedBy ?? "all"}`;
    const position = cursor === undefined ? null : positionOf(await this.cursors.open(context, cursor), list, order);
    const after = position === null ? null : { id: position.id, deletedAt: Number(position.values[0]) };
    const roots = await r.deletion.listRecycled({ deletedBy, visibility, after, limit: perPage });
    const last = roots.length < perPage ? undefined : roots.at(-1);
    return {
      elements: roots.map(({ id, uuid, className, deletedAt, deletedBy: by }) => ({
        "~ClassName": className,
        "~ObjectID": id,
        "~UUID": uuid,
        "~StoreTime": database.storeTime.format(deletedAt),
        "~DeletedBy": by,
      })),
      next:
        last === undefined
          ? null
          : await this.cursors.seal(context, { query: list, position: { values: [last.deletedAt], id: last.id } }),
    };
  }
}
