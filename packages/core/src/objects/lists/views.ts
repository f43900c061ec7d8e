import {
  accountOwner,
  allPages,
  faultAt,
  isStorable,
  type JsonValue,
  type ObjectId,
  randomUuid,
  type RandomSource,
  type RecordKind,
  ServiceError,
  type StoredRecord,
} from "@sallyport/storage";
import type { SessionContext, Uses } from "../../request/index.ts";
import { classScope } from "./list-objects.ts";

/** What a person saves of a list. Its paths can name what the class no longer has. */
export interface ViewDefinition {
  readonly name: string;
  readonly isShared: boolean;
  readonly columns?: readonly string[] | undefined;
  readonly where?: Readonly<Record<string, unknown>> | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly search?: string | undefined;
}

export interface View extends ViewDefinition {
  readonly id: string;
  readonly isOwn: boolean;
  readonly version: number;
}

/** A view of a class and a user, who owns the record: the removal of the user removes it. */
interface StoredView {
  readonly userId: ObjectId;
  readonly definition: { readonly [Name in keyof ViewDefinition]: JsonValue };
}

/** Views by class and random id. */
export const viewKind: RecordKind<StoredView> = "view";

const quota = { perOwner: 100, total: 2_000 } as const;

export interface ViewServices {
  readonly random: RandomSource;
}

/** The views of the caller and the shared ones, by name. 304: an unknown or unreadable class. */
export async function listViews(context: SessionContext, className: string): Promise<View[]> {
  await classScope(context, className);
  const prefix = prefixOf(className);
  const found = await allPages(
    async ({ after, limit }) => {
      const page = await context.r.records.list(viewKind, { after: after ?? prefix, limit });
      return page.filter(({ id }) => id.startsWith(prefix));
    },
    ({ id }) => id,
  );
  return found
    .filter((record) => isVisible(context, record))
    .map((record) => viewOf(context, record))
    .toSorted((one, other) => (one.name < other.name || (one.name === other.name && one.id < other.id) ? -1 : 1));
}

/** 304: an unknown or unreadable class. 307: a text that is not storable, or too many views. */
export async function createView(
  context: SessionContext & Uses<ViewServices>,
  className: string,
  definition: ViewDefinition,
): Promise<View> {
  await classScope(context, className);
  const { userId } = context.principal;
  const id = prefixOf(className) + randomUuid(context.services.random);
  const options = { owner: accountOwner(userId), quota };
  const outcome = await context.r.records.putWithin(viewKind, id, storedView(userId, definition), options);
  if (outcome === "ownerFull") throw tooMany(`You can save at most ${quota.perOwner} views.`);
  if (outcome !== "stored") throw tooMany(`All users together can save at most ${quota.total} views.`);
  return viewOf(context, await storedRecord(context, id));
}

export interface ReplaceViewInput {
  readonly className: string;
  readonly id: string;
  readonly definition: ViewDefinition;
  /** Accepted versions; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/** 304: there is no such view for the caller. 404: it belongs to another user. 307: a text that is not storable. 713: another version. */
export async function replaceView(
  context: SessionContext,
  { className, id, definition, expectedVersions }: ReplaceViewInput,
): Promise<View> {
  const record = await visibleView(context, className, id);
  const { userId } = context.principal;
  if (record.value.userId !== userId) throw new ServiceError(404, { detail: "The view belongs to another user." });
  if (expectedVersions !== null && !expectedVersions.includes(record.version)) throw changed();
  const options = { owner: record.owner, ifVersion: record.version };
  const outcome = await context.r.records.put(viewKind, record.id, storedView(userId, definition), options);
  if (outcome !== "stored") throw changed();
  return viewOf(context, await storedRecord(context, record.id));
}

/** 304: there is no such view for the caller. 404: it belongs to another user, and the caller is not an administrator. */
export async function removeView(context: SessionContext, className: string, id: string): Promise<void> {
  const record = await visibleView(context, className, id);
  const { userId, administrator } = context.principal;
  if (record.value.userId !== userId && !administrator)
    throw new ServiceError(404, { detail: "The view belongs to another user." });
  if ((await context.r.records.remove(viewKind, { ids: [record.id] })).length === 0) throw new ServiceError(304);
}

const prefixOf = (className: string): string => `${className} `;

const tooMany = (detail: string): ServiceError => new ServiceError(307, { detail });

const changed = (): ServiceError => new ServiceError(713, { detail: "The view has another version." });

async function visibleView(context: SessionContext, className: string, id: string): Promise<StoredRecord<StoredView>> {
  await classScope(context, className);
  const [record] = await context.r.records.get(viewKind, [prefixOf(className) + id]);
  if (record === undefined || !isVisible(context, record)) throw new ServiceError(304);
  return record;
}

async function storedRecord({ r }: SessionContext, id: string): Promise<StoredRecord<StoredView>> {
  const [record] = await r.records.get(viewKind, [id]);
  if (record === undefined) throw new ServiceError(304);
  return record;
}

function isVisible({ principal }: SessionContext, { value }: StoredRecord<StoredView>): boolean {
  return value.userId === principal.userId || value.definition.isShared === true;
}

function storedView(userId: ObjectId, definition: ViewDefinition): StoredView {
  const members = Object.entries(definition).filter(([, value]) => value !== undefined);
  for (const [name, value] of members)
    if (!isStorable(value as JsonValue))
      throw faultAt(`/${name}`, "JSON without null characters and unpaired surrogates is expected.");
  return { userId, definition: Object.fromEntries(members) as unknown as StoredView["definition"] };
}

function viewOf({ principal }: SessionContext, { id, value, version }: StoredRecord<StoredView>): View {
  const definition = value.definition as unknown as ViewDefinition;
  return { ...definition, id: id.slice(id.indexOf(" ") + 1), isOwn: value.userId === principal.userId, version };
}
