import {
  type Digest,
  explained,
  isRefusedByStorage,
  type JsonValue,
  type ObjectId,
  personOf,
  type PutOptions,
  type RecordKind,
  type RecordRepository,
  ServiceError,
  untilDone,
} from "@sallyport/storage";
import { asciiBytes, asciiJson, maxSealedBytes, openJson, requireWrapping, type KeyWrapping } from "../keys/index.ts";
import { type Serialization, getObject, type ObjectServices } from "../objects/index.ts";
import { inTransaction, type SessionContext, type Uses } from "../request/index.ts";
import { type StoredResult, storedError, storedResult } from "./stored-results.ts";

/** Results of requests, by the digest of person, app key and idempotency key. */
export const requestResultKind: RecordKind<StoredResult> = "requestResult";

/** Milliseconds for which a result is stored. */
export const requestResultAge = 86_400_000;

/** Maximum number of keys that a person uses within `requestResultAge`. The items of a multi request do not count. */
export const maxRequestKeys = 1_000;

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** Chosen by the client for one request, and sent again with its repetitions. */
  readonly key: string;
  /** Digest of method, path with query, and plain body. Another request with the same key is refused. */
  readonly contents: Digest;
  /** Whether it is a part of another keyed request. */
  readonly isPart: boolean;
  /** The form of an object in the answer. */
  readonly serialization?: Serialization | undefined;
}

/** The success of a request. */
export interface RequestSuccess {
  /** Any JSON. */
  readonly data: unknown;
  /** Replaces `ok`. */
  readonly message?: string;
  /** Version of the object in `data`. */
  readonly version?: number;
}

/** The stored part of a success: an object by its id and version, or data. */
interface StoredSuccess {
  readonly message?: string;
  readonly version?: number;
  readonly objectId?: ObjectId;
  /** Absent for an object and for `{}`. `null` for data that was too large. */
  readonly sealedData?: string | null;
}

/** Services of requests that are executed once. */
export interface RepetitionServices extends ObjectServices {
  /** `null` without a master key: then requests fail whose data would be stored. */
  readonly keyWrapping: KeyWrapping | null;
}

/** Context of a request with an idempotency key. */
export interface KeyedContext extends SessionContext, Uses<RepetitionServices> {}

type Work<Context, Success> = (context: Context) => Promise<Success>;

/** How a success is stored, and told to a repetition. */
export interface Retelling<Success> {
  readonly keep: (success: Success) => JsonValue;
  readonly tell: (outcome: JsonValue) => Promise<Success>;
}

type Done<Success> =
  | { readonly kind: "stored"; readonly stored: StoredResult }
  | { readonly kind: "refused"; readonly error: ServiceError }
  | { readonly kind: "success"; readonly success: Success };

/** Milliseconds after which a request that neither ended nor failed is taken for lost with its server. */
const longestRequest = 60_000;

/**
 * Executes the work of a request with an idempotency key once, in one transaction, or tells its result. The key is claimed
 * in that transaction, so a concurrent repetition waits for the first request, and a request that is lost with its server
 * leaves neither effect nor key. A final refusal is a result. Another request with the key:
 * 307. Too many keys: 800. A result that was too large to keep: 801.
 */
export function executeOnce<Context extends KeyedContext>(
  context: Context,
  keyed: KeyedRequest,
  work: Work<Context, RequestSuccess>,
): Promise<RequestSuccess> {
  return executeOnceWith(context, keyed, work, retellingFor(context, keyed));
}

/** Like `executeOnce`, with another way to keep successes. */
export async function executeOnceWith<Context extends SessionContext, Success>(
  context: Context,
  keyed: KeyedRequest,
  work: Work<Context, Success>,
  retelling: Retelling<Success>,
): Promise<Success> {
  if (!context.unit.joined) await context.database.clock.measure();
  const place = placeOf(context, keyed);
  const done = await inTransaction(context, async (inside): Promise<Done<Success>> => {
    const { records } = inside.r;
    const stored = await claim(records, place, keyed);
    if (stored !== null) return { kind: "stored", stored };
    const attempted = await attempt(inside, work);
    const [error, outcome] =
      attempted.kind === "refused" ? [attempted.error, null] : [null, retelling.keep(attempted.success)];
    await records.put(requestResultKind, place.id, storedResult(keyed.contents, error, outcome), place.options);
    return attempted;
  });
  if (done.kind === "success") return done.success;
  if (done.kind === "refused") throw done.error;
  return resultAgain(keyed, done.stored, retelling);
}

/**
 * Executes work that has transactions of its own and can be repeated if its server is lost: then the claim ends by
 * itself. The key belongs to the person, or to the session with which the effect ends. A concurrent repetition: 706.
 */
export async function executeOnceApart<Context extends KeyedContext>(
  context: Context,
  keyed: KeyedRequest,
  work: Work<Context, RequestSuccess>,
  owner: "person" | "session",
): Promise<RequestSuccess> {
  if (context.unit.joined) return executeOnce(context, keyed, work);
  const { records } = context.r;
  const place = placeOf(context, keyed, ...(owner === "session" ? [context.sessionDigest] : []));
  const stored = await claim(records, place, keyed, longestRequest);
  const retelling = retellingFor(context, keyed);
  if (stored !== null) {
    if (stored.code === 0 && stored.outcome === null)
      throw new ServiceError(706, { detail: "The same request is being executed.", retryAfter: 1 });
    return resultAgain(keyed, stored, retelling);
  }
  const keep = (error: ServiceError | null, outcome: JsonValue) =>
    records.put(requestResultKind, place.id, storedResult(keyed.contents, error, outcome), place.options);
  try {
    const success = await work(context);
    await keep(null, retelling.keep(success));
    return success;
  } catch (error) {
    if (isFinalRefusal(error)) await keep(error, null);
    else await records.remove(requestResultKind, { ids: [place.id] });
    throw error;
  }
}

/** Binds the key of a request whose parts are executed once each. Another request with the key: 307. Too many keys: 800. */
export async function bindKey(context: SessionContext, keyed: KeyedRequest): Promise<void> {
  const stored = await claim(context.r.records, placeOf(context, keyed), keyed);
  if (stored !== null) requireSame(stored, keyed);
}

function retellingFor(context: KeyedContext, { serialization }: KeyedRequest): Retelling<RequestSuccess> {
  return {
    keep: (success) => storedSuccess(context, success) as unknown as JsonValue,
    tell: (outcome) => tellAgain(context, outcome as StoredSuccess, serialization),
  };
}

function storedSuccess(context: KeyedContext, { data, message, version }: RequestSuccess): StoredSuccess {
  const about = { ...(message === undefined ? {} : { message }), ...(version === undefined ? {} : { version }) };
  const objectId = version === undefined ? undefined : idOf(data);
  return objectId === undefined ? { ...about, ...seal(context, data) } : { ...about, objectId };
}

function seal(context: KeyedContext, data: unknown): Pick<StoredSuccess, "sealedData"> {
  const text = asciiJson(data);
  if (text === "{}") return {};
  if (text.length > maxSealedBytes) return { sealedData: null };
  return { sealedData: requireWrapping(context.services.keyWrapping).wrap(asciiBytes(text), "request result") };
}

async function tellAgain(
  context: KeyedContext,
  { objectId, sealedData, ...about }: StoredSuccess,
  serialization: Serialization | undefined,
): Promise<RequestSuccess> {
  if (objectId !== undefined) {
    const { message } = about;
    const shown = await show(context, objectId, about.version, serialization);
    return { ...shown, ...(message === undefined ? {} : { message }) };
  }
  if (sealedData === undefined) return { ...about, data: {} };
  if (sealedData === null)
    throw new ServiceError(801, { detail: "The request was executed. Its result was too large to be stored." });
  const data = openJson(requireWrapping(context.services.keyWrapping), sealedData, "request result");
  if (data === undefined) throw new ServiceError(705, { detail: "The result was sealed under another master key." });
  return { ...about, data };
}

/** The object as it is now, or its id alone if the caller cannot read it any more. */
async function show(
  context: KeyedContext,
  id: ObjectId,
  version: number | undefined,
  serialization: Serialization | undefined,
): Promise<RequestSuccess> {
  try {
    const current = await getObject(context, { kind: "id", id }, serialization);
    return { data: current.object, version: current.version };
  } catch (error) {
    if (!isFinalRefusal(error)) throw error;
    return { data: { "~ObjectID": id }, ...(version === undefined ? {} : { version }) };
  }
}

/** The id of the object in an answer. */
function idOf(data: unknown): ObjectId | undefined {
  const id = typeof data === "object" && data !== null ? (data as { "~ObjectID"?: unknown })["~ObjectID"] : undefined;
  return typeof id === "string" ? (id as ObjectId) : undefined;
}

/** Where a result is stored. */
interface Place {
  readonly id: string;
  readonly options: PutOptions & { readonly owner: string | null };
}

/** Parts have no owner, so that they do not count. */
function placeOf(
  { database: { digests }, session, appKey }: SessionContext,
  { key, isPart }: KeyedRequest,
  ...more: readonly Digest[]
): Place {
  const person = personOf(session);
  return {
    id: digests.sha256(JSON.stringify([person, appKey.id, key, ...more])),
    options: { owner: isPart ? null : digests.sha256(`idempotency keys of ${person}`) },
  };
}

/** Claims a key. Returns the result of the request that has it already; `null` if it is the first one. */
function claim(
  records: RecordRepository,
  { id, options: { owner } }: Place,
  { contents }: KeyedRequest,
  lifetime: number | null = null,
): Promise<StoredResult | null> {
  const claimed = storedResult(contents, null, null);
  return untilDone(async () => {
    const outcome =
      owner === null
        ? await records.put(requestResultKind, id, claimed, { lifetime, ifVersion: "none" })
        : await records.putWithin(requestResultKind, id, claimed, {
            owner,
            lifetime,
            quota: { perOwner: maxRequestKeys, total: 0 },
          });
    if (outcome === "stored") return null;
    if (outcome === "ownerFull") {
      await forgetOld(records, owner ?? "");
      return undefined;
    }
    const [record] = await records.get(requestResultKind, [id]);
    if (record === undefined) return undefined;
    if (record.age < requestResultAge) return record.value;
    // The sweeper has not come yet.
    await records.remove(requestResultKind, { ids: [id] });
    return undefined;
  });
}

/** Forgets the old results of a person. 800 if there are none. */
async function forgetOld(records: RecordRepository, owner: string): Promise<void> {
  const all = await records.list(requestResultKind, { owner, after: null, limit: maxRequestKeys });
  const ids = all.filter(({ age }) => age >= requestResultAge).map(({ id }) => id);
  if (ids.length > 0) return void (await records.remove(requestResultKind, { ids }));
  const oldest = Math.max(...all.map(({ age }) => age));
  throw new ServiceError(800, {
    detail: `The user has sent ${maxRequestKeys} idempotency keys within a day.`,
    retryAfter: Math.max(1, Math.ceil((requestResultAge - oldest) / 1_000)),
  });
}

async function attempt<Context extends SessionContext, Success>(
  context: Context,
  work: Work<Context, Success>,
): Promise<Extract<Done<Success>, { readonly kind: "refused" | "success" }>> {
  try {
    return { kind: "success", success: await context.unit.attempt(() => work(context)) };
  } catch (error) {
    if (!isFinalRefusal(error)) throw error;
    return { kind: "refused", error };
  }
}

/** The success of the first request with the key, or its refusal. */
function resultAgain<Success>(
  keyed: KeyedRequest,
  stored: StoredResult,
  { tell }: Retelling<Success>,
): Promise<Success> {
  requireSame(stored, keyed);
  const error = storedError(stored);
  if (error !== null)
    throw explained(error, {
      asked: "Was a request with the same idempotency key refused before?",
      found: "Yes, and its refusal is stored for a day.",
    });
  return tell(stored.outcome);
}

function requireSame({ contents }: StoredResult, keyed: KeyedRequest): void {
  if (contents !== keyed.contents)
    throw new ServiceError(307, { detail: "The idempotency key was used for another request." });
}

/** Codes of a session that ended, of an upload in use, and of a server or a neighbour that fails. */
const passing: ReadonlySet<number> = new Set([201, 203, 605, 606, 607, 699, 704, 705, 706, 711, 799, 800]);

/** Whether a repetition gets the same refusal. */
function isFinalRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !passing.has(error.code) && !isRefusedByStorage(error);
}
