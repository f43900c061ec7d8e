import { visibilityOf } from "../../model/index.ts";
import { requestModel, type SessionContext, type Uses } from "../../request/index.ts";
import type { ObjectId, SortKey } from "@sallyport/storage";
import { positionOf } from "../query/cursor.ts";
import type { ObjectServices } from "../hooks/active-hooks.ts";

export interface ListRecycledInput {
  readonly perPage: number;
  /** Start after this position; from the first by default. */
  readonly cursor: string | undefined;
}

/** An element of the list. Times have the format of `~StoreTime`. */
export interface RecycledElement {
  readonly "~ClassName": string;
  readonly "~ObjectID": ObjectId;
  readonly "~UUID": string;
  readonly "~StoreTime": string;
  /** The deleting user; `null` if unknown. */
  readonly "~DeletedBy": ObjectId | null;
}

export interface ListedRecycled {
  readonly elements: readonly RecycledElement[];
  /** Cursor of the next page; `null` if this page is not full. */
  readonly next: string | null;
}

/** Newest first. */
const order: readonly SortKey[] = [{ path: { hops: [], leaf: "~StoreTime", type: "time" }, descending: true }];

/**
 * Lists the objects that the caller has recycled and could read, newest first. Administrators see the objects of all
 * users. Of a group deleted together, only the root is listed. 307 for a cursor of another list.
 */
export async function listRecycled(
  context: SessionContext & Uses<Pick<ObjectServices, "cursorSealing">>,
  { perPage, cursor }: ListRecycledInput,
): Promise<ListedRecycled> {
  const { r, database, principal } = context;
  const visibility = visibilityOf(principal, await requestModel(context));
  const deletedBy = principal.administrator ? null : principal.userId;
  const list = `recycler ${deletedBy ?? "all"}`;
  const position =
    cursor === undefined ? null : positionOf(await context.services.cursorSealing.open(context, cursor), list, order);
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
        : await context.services.cursorSealing.seal(context, {
            query: list,
            position: { values: [last.deletedAt], id: last.id },
          }),
  };
}
