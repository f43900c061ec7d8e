import { type ChangePosition, type ObjectId, ServiceError } from "@sallyport/storage";
import type { RequestContext, Uses } from "../request/index.ts";
import type { SchemaView } from "./schema-view.ts";
import { neverSynchronized, type SyncVersion, syncVersionText } from "./sync-version.ts";
import type { ObjectServices } from "../objects/index.ts";

/** The place where a page of a pull begins. */
export interface PullPlace {
  /** The highest stamp of the pull. */
  readonly upTo: number;
  readonly after: ChangePosition;
  /** Set while objects that refer to those of the previous page are still to be sent. */
  readonly referrers: ReferrerPlace | null;
}

/** Referrers to the objects between a position and that of the page. */
export interface ReferrerPlace {
  readonly from: ChangePosition;
  /** The last one that was sent; `null` for none. */
  readonly after: ObjectId | null;
}

type CursorContext = Pick<RequestContext, "r" | "database" | "unit"> & Uses<Pick<ObjectServices, "cursorSealing">>;

/** Cursors of pulls. They are bound to the version of the client, its query, and all that its generation consists of. */
export function sealPullCursor(
  context: CursorContext,
  view: SchemaView,
  version: SyncVersion | null,
  { upTo, after, referrers }: PullPlace,
): Promise<string> {
  const { from, after: last = null } = referrers ?? {};
  const values = [upTo, after.stamp, from?.stamp ?? null, from?.id ?? null, last];
  return context.services.cursorSealing.seal(context, {
    query: bindingOf(view, version),
    position: { values, id: after.id ?? "" },
  });
}

/** 332 for a text that is not a cursor of this pull. */
export async function openPullCursor(
  context: CursorContext,
  view: SchemaView,
  version: SyncVersion | null,
  text: string,
): Promise<PullPlace> {
  const { query, position } = await context.services.cursorSealing.open(context, text).catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 307 ? foreign() : error;
  });
  if (query !== bindingOf(view, version)) throw foreign();
  const [upTo, stamp, fromStamp, fromId, last] = position.values as CursorValues;
  return {
    upTo,
    after: { stamp, id: position.id === "" ? null : position.id },
    referrers: fromStamp === null ? null : { from: { stamp: fromStamp, id: fromId }, after: last },
  };
}

type CursorValues = readonly [number, number, number | null, ObjectId | null, ObjectId | null];

function bindingOf({ generation }: SchemaView, version: SyncVersion | null): string {
  return `sync ${generation} ${version === null ? neverSynchronized : syncVersionText(version)}`;
}

function foreign(): ServiceError {
  return new ServiceError(332, { detail: "at /cursor: The cursor belongs to another pull." });
}
