import {
  AnswerTooLargeError,
  type ObjectPage,
  type ObjectQuery,
  type Page,
  type PageUse,
  type SerializedCollection,
  type Visibility,
  type VisibleRead,
} from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import type { SessionContext } from "../../request/index.ts";
import { type ValueForms, withCutTexts } from "../serialization/value-forms.ts";

/** `capped`: counting stops at 5,000. `none`: nothing is counted. Default: exact. */
export type Counting = "capped" | "none" | undefined;

const cap = 5_000;

/** The counts of a list; none if none were requested. */
export interface ListCounts extends Partial<Omit<SerializedCollection, "~Elements">> {
  /** Whether counting stops at 5,000. A count of 5,000 then means at least 5,000. */
  readonly "~CountCapped"?: true;
}

export interface PageAndCounts {
  readonly objectPage: ObjectPage;
  readonly counts: ListCounts;
}

interface PageSelection {
  readonly query: ObjectQuery;
  readonly visibility: VisibleRead;
  readonly page: Page;
  readonly model: Model;
}

interface PageForm extends Pick<PageUse, "unparsed"> {
  readonly count: Counting;
  /** The forms in which the objects are written; `null` if more of them is read. */
  readonly values: ValueForms | null;
}

/** Reads a page of the objects and the counts that it does not tell. */
export async function readPage(
  context: SessionContext,
  selection: PageSelection,
  { count: counting, values, unparsed }: PageForm,
): Promise<PageAndCounts> {
  const { query, visibility, page } = selection;
  const { classes, filter } = query;
  const { objects } = context.r;
  const find = (use: PageUse) =>
    values === null || values.cut === null
      ? objects.find(query, visibility, page, context.database.answerBytes, { ...use, unparsed })
      : findCut(context, { ...selection, values, use: { ...use, cut: cutOf(selection, values.cut) } });
  if (counting === "none") return { objectPage: await find({}), counts: {} };
  const capped = counting === "capped";
  const countsOf = (count: number, unfilteredCount: number): ListCounts => ({
    "~Count": capped ? Math.min(count, cap) : count,
    "~UnfilteredCount": unfilteredCount,
    ...(capped ? { "~CountCapped": true } : {}),
  });
  if (filter === undefined) {
    const objectPage = await find({});
    const count = countFrom(objectPage, page) ?? (await countAll(context, classes, visibility));
    return { objectPage, counts: countsOf(count, count) };
  }
  const countTo = capped ? cap : undefined;
  const [objectPage, unfilteredCount] = await Promise.all([find({ countTo }), countAll(context, classes, visibility)]);
  const count =
    countFrom(objectPage, page) ?? objectPage.count ?? (await objects.count({ classes, filter }, visibility, countTo));
  return { objectPage, counts: countsOf(count, unfilteredCount) };
}

function cutOf({ query, model }: PageSelection, characters: number): PageUse["cut"] {
  const attributes = query.classes.flatMap((name) => [...(model.find(name)?.attributes.values() ?? [])]);
  const texts = attributes.filter(({ type }) => type === "string").map(({ name }) => name);
  return { characters, texts: [...new Set(texts)] };
}

/** A page whose long texts are cut. Reads a page of large objects in parts, so that it takes no more memory than another one. */
async function findCut(
  context: SessionContext,
  selection: PageSelection & { readonly values: ValueForms; readonly use: PageUse },
): Promise<ObjectPage> {
  const { query, visibility, page, use } = selection;
  try {
    const found = await context.r.objects.find(query, visibility, page, context.database.answerBytes, use);
    return { ...found, objects: withCutTexts(found.objects, selection) };
  } catch (error) {
    if (!(error instanceof AnswerTooLargeError) || page.limit === 1) throw error;
    const half = Math.ceil(page.limit / 2);
    const first = await findCut(context, { ...selection, page: { ...page, limit: half } });
    if (first.last === null || first.objects.length < half) return first;
    const rest: Page = { after: first.last, limit: page.limit - half };
    const second = await findCut(context, { ...selection, page: rest, use: { ...use, countTo: undefined } });
    return { ...first, objects: [...first.objects, ...second.objects], last: second.last ?? first.last };
  }
}

/** The number of all visible objects of some classes. A large one can be ten seconds old. */
export function countAll(
  { r: { objects }, unit, database }: SessionContext,
  classes: readonly string[],
  visibility: VisibleRead,
): Promise<number> {
  const count = () => objects.count({ classes }, visibility);
  // A transaction sees its own changes.
  return unit.joined ? count() : database.counts.get(countKey(classes, visibility), count);
}

/** The total count if the page ends the list; else `undefined`. */
function countFrom({ objects: { length } }: ObjectPage, page: Page): number | undefined {
  if ("after" in page || length === page.limit || (length === 0 && page.offset > 0)) return undefined;
  return page.offset + length;
}

function countKey(classes: readonly string[], { principals }: Visibility): string {
  return JSON.stringify([classes, principals === null ? null : [...principals].toSorted()]);
}
