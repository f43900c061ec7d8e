import type { CancellableRead } from "@sallyport/storage";
import type { ObjectContext } from "../hooks/active-hooks.ts";
import { classScope, type ListObjectsInput, selectObjects } from "./list-objects.ts";
import { countAll } from "./object-page.ts";

/** Calls `call` when the time of a count is over, at once if it already is. Returns a function to unsubscribe. */
export type OnTimeOver = NonNullable<CancellableRead["onCancel"]>;

export interface CountObjectsInput extends Pick<ListObjectsInput, "className" | "query" | "position"> {
  /** The end of the time that the count may take. Default: never. */
  readonly onTimeOver?: OnTimeOver | undefined;
}

export interface ObjectCount {
  readonly count: number;
  /** Whether the time was over first: there are at least `count` objects. */
  readonly capped: boolean;
}

/** What is counted first, so that a count whose time is over has a lower bound. */
const firstPart = 10_000;

/** Counts the objects that a list finds. 304 for an unknown or unreadable class. */
export async function countObjects(
  context: ObjectContext,
  { onTimeOver, ...selection }: CountObjectsInput,
): Promise<ObjectCount> {
  const scope = await classScope(context, selection.className);
  const { query, visibility } = await selectObjects(context, selection, scope);
  const { classes, filter } = query;
  const count = (cancellable: CancellableRead, atMost?: number): Promise<number> =>
    filter === undefined
      ? countAll(context, classes, visibility)
      : context.r.objects.count({ classes, filter }, { ...visibility, ...cancellable }, atMost);
  return onTimeOver === undefined ? { count: await count({}), capped: false } : countInTime(count, onTimeOver);
}

/** The count, or what is certain of it when the time is over. An adapter that cannot cancel a read comes to its end unheard. */
async function countInTime(
  count: (cancellable: CancellableRead, atMost?: number) => Promise<number>,
  onTimeOver: OnTimeOver,
): Promise<ObjectCount> {
  let least = 0;
  let isOver = false;
  let unsubscribe = (): void => {};
  const timeOver = new Promise<ObjectCount>((resolve) => {
    unsubscribe = onTimeOver(() => {
      isOver = true;
      resolve({ count: least, capped: true });
    });
  });
  const counting = async (): Promise<ObjectCount> => {
    least = await count({ onCancel: onTimeOver }, firstPart);
    if (least < firstPart || isOver) return { count: least, capped: isOver };
    return { count: await count({ onCancel: onTimeOver }), capped: false };
  };
  try {
    return await Promise.race([timeOver, counting()]);
  } finally {
    unsubscribe();
  }
}
