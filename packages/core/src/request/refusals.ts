import {
  type ErrorCode,
  type Finding,
  type FindingReader,
  findingsOf,
  type RecordKind,
  type Repositories,
  ServiceError,
  type SessionMode,
  type Storage,
} from "@sallyport/storage";
import type { Database } from "./database.ts";

/** The checks of a request with a database, in their order, each with its question. */
export const requestChecks = {
  capacity: "Does the server have capacity?",
  preflight: "Is it a preflight for a listed origin?",
  service: "Is the database in service?",
  appKey: "Is the app key valid?",
  rate: "Is the request within the rates?",
  transport: "Is the connection secure enough for credentials?",
  session: "Is the session valid?",
  channel: "Can the server use the key of the secure session?",
  enrolment: "May this session call the route?",
  contentType: "Is the content type supported?",
  body: "Is the body complete and within the limits?",
  message: "Does the encrypted message decrypt?",
  fields: "Are the fields valid?",
  operation: "Is the operation allowed and possible?",
} as const;

export type RequestCheck = keyof typeof requestChecks;

/** A failed item of a multi request, or a failed request. */
interface Failed {
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  readonly error: unknown;
}

/** A refused request, as the pipeline hands it over after the response. */
export interface RefusedRequest extends Omit<Failed, "error"> {
  readonly requestId: string;
  readonly network: string;
  /** The check that refused. `null` if only items failed. */
  readonly check: RequestCheck | null;
  readonly error?: unknown;
  /** Name of the app key, disabled or not; `null` for none. */
  readonly appKey: string | null;
  /** Mode of the live session; `null` for none. */
  readonly mode: SessionMode | null;
  /** The account of the live session; `null` for none. */
  readonly accountId: string | null;
  readonly items: readonly (Failed & { readonly index: number })[];
  /** Names of the route's fields, which error details may mention. */
  readonly fields: () => ReadonlySet<string>;
  /** `performance.now()` of the response. */
  readonly at: number;
}

export interface StoredFailure {
  readonly code: ErrorCode;
  readonly findings: readonly Finding[];
}

export interface StoredItem extends StoredFailure {
  readonly index: number;
  readonly method: string;
  readonly route: string;
}

/** A stored refusal. The id is that of the request, the owner its network. */
export interface StoredRefusal
  extends Omit<RefusedRequest, "requestId" | "network" | "error" | "items" | "fields" | "at"> {
  /** Milliseconds between response and write. */
  readonly delay: number;
  /** `null` if only items failed. */
  readonly failure: StoredFailure | null;
  readonly items: readonly StoredItem[];
}

export const refusalKind: RecordKind<StoredRefusal> = "refusal";

/** Maximum number of refusals in a database. */
const maxRefusals = 10_000;

const maxItems = 10;

export type RefusalOutcome = "stored" | "exists" | "full";

/**
 * Stores why a request was refused. The newest refusals of a network replace its oldest, and the newest of all replace
 * the oldest of all. `exists`: a refusal with this request id is stored already and stays; clients can choose the id.
 */
export async function recordRefusal(database: Database, refused: RefusedRequest, now: number): Promise<RefusalOutcome> {
  const { retention: lifetime, perNetwork } = database.policy.explanations;
  const { requestId, network: owner } = refused;
  const { records } = database.storage.repositories;
  const value = await storedRefusal(database, refused, now);
  const put = () =>
    records.putWithin(refusalKind, requestId, value, {
      owner,
      lifetime,
      quota: { perOwner: perNetwork, total: maxRefusals },
    });
  const outcome = await put();
  if (outcome === "stored" || outcome === "exists") return outcome;
  await (outcome === "ownerFull" ? removeOldestOf(records, owner, perNetwork) : removeOldest(records));
  return (await put()) === "stored" ? "stored" : "full";
}

/** Removes the oldest quarter of a network. */
async function removeOldestOf(records: Repositories["records"], owner: string, perNetwork: number): Promise<void> {
  const refusals = await records.list(refusalKind, { owner, after: null, limit: perNetwork });
  const oldest = refusals.toSorted((one, other) => one.createdVersion - other.createdVersion);
  const ids = oldest.slice(0, Math.ceil(refusals.length / 4)).map(({ id }) => id);
  await records.remove(refusalKind, { ids });
}

/** Removes the oldest hundredth of all. */
async function removeOldest(records: Repositories["records"]): Promise<void> {
  const oldest = await records.claim(refusalKind, maxRefusals / 100, 1_000);
  await records.remove(refusalKind, { ids: oldest.map(({ id }) => id) });
}

async function storedRefusal(database: Database, refused: RefusedRequest, now: number): Promise<StoredRefusal> {
  const { method, route, check, appKey, mode, accountId, error, items, fields, at } = refused;
  const failure = error === undefined ? null : await failureOf(database, { error, check }, fields);
  const stored: StoredItem[] = [];
  for (const { error: ofItem, ...item } of items.slice(0, maxItems))
    stored.push({ ...item, ...(await failureOf(database, { error: ofItem, check: null }, fields)) });
  const proven = failure?.findings.find((finding) => finding.accountId !== undefined)?.accountId;
  const delay = Math.max(0, Math.round(now - at));
  return { method, route, check, appKey, mode, accountId: accountId ?? proven ?? null, failure, items: stored, delay };
}

async function failureOf(
  database: Database,
  { error, check }: Pick<RefusedRequest, "error" | "check">,
  fields: RefusedRequest["fields"],
): Promise<StoredFailure> {
  const code = error instanceof ServiceError ? error.code : 799;
  const noted = findingsOf(error);
  const findings = (await Promise.all(noted.map((each) => readFinding(database, each)))).flat();
  const hidesDetail = findings.some((finding) => finding.hidesDetail === true);
  const detail = error instanceof ServiceError && !hidesDetail ? error.detail : undefined;
  if (detail === undefined) return { code, findings };
  const asked = requestChecks[check ?? "operation"];
  const found = `No: ${await withoutUnknownNames(database, detail, fields)}`;
  return { code, findings: [...findings, { asked, found }] };
}

async function readFinding(database: Database, finding: Finding | FindingReader): Promise<readonly Finding[]> {
  if (typeof finding !== "function") return [finding];
  try {
    return await (finding as (database: Database) => Promise<readonly Finding[]>)(database);
  } catch {
    return [];
  }
}

/** Masks quoted texts, and the names in JSON pointers that are not fields, classes or attributes. Clients may choose them. */
async function withoutUnknownNames(
  { models, storage }: Database,
  detail: string,
  fields: RefusedRequest["fields"],
): Promise<string> {
  const unquoted = detail.replaceAll(/"[^"]*"/g, '"…"');
  if (!unquoted.includes("at /")) return unquoted;
  const model = await models.current(0, storage.repositories.model);
  const names = new Set(fields());
  for (const { definition, attributes } of model.all())
    for (const name of [definition.name, ...attributes.keys()]) names.add(name);
  return unquoted.replaceAll(/\bat \/([^\s:]*)/g, (_all, pointer: string) => {
    const parts = pointer.split("/").map((part) => (/^\d*$/.test(part) || names.has(part) ? part : "…"));
    return `at /${parts.join("/")}`;
  });
}

/** Undoes the writes of a transaction. */
class Discarded extends Error {}

/** Runs calls that read what no other call does, and undoes what they write. */
export async function discardingWrites<T>(storage: Storage, work: (r: Repositories) => Promise<T>): Promise<T> {
  const results: T[] = [];
  try {
    await storage.transaction(async (r) => {
      results.splice(0, 1, await work(r));
      throw new Discarded();
    });
  } catch (error) {
    if (!(error instanceof Discarded)) throw error;
  }
  return results[0] as T;
}
