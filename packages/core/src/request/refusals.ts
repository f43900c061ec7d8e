import {
  type ErrorCode,
  errorEntry,
  type Finding,
  type FindingReader,
  findingsOf,
  ServiceError,
} from "../errors/index.ts";
import type { RecordKind, Repositories, SessionMode, Storage } from "../storage/index.ts";
import type { Database } from "./database.ts";

/** The checks of a request with a database, in their order, each with its question. */
export const requestChecks = {
  capacity: "Does the server have capacity?",
  preflight: "Is it a preflight for a listed origin?",
  service: "Is the database in service?",
  appKey: "Is the app key valid?",
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

interface StoredFailure {
  readonly code: ErrorCode;
  readonly findings: readonly Finding[];
}

interface StoredItem extends StoredFailure {
  readonly index: number;
  readonly method: string;
  readonly route: string;
}

/** A stored refusal. The id is that of the request, the owner its network. */
interface StoredRefusal extends Omit<RefusedRequest, "requestId" | "network" | "error" | "items" | "fields" | "at"> {
  /** Milliseconds between response and write. */
  readonly delay: number;
  /** `null` if only items failed. */
  readonly failure: StoredFailure | null;
  readonly items: readonly StoredItem[];
}

const refusalKind: RecordKind<StoredRefusal> = "refusal";

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
  await (outcome === "ownerFull" ? makeRoomOf(records, owner, perNetwork) : makeRoom(records));
  return (await put()) === "stored" ? "stored" : "full";
}

/** Removes the oldest quarter of a network. */
async function makeRoomOf(records: Repositories["records"], owner: string, perNetwork: number): Promise<void> {
  const found = await records.list(refusalKind, { owner, after: null, limit: perNetwork });
  const oldest = found.toSorted((one, other) => one.createdVersion - other.createdVersion);
  const ids = oldest.slice(0, Math.ceil(found.length / 4)).map(({ id }) => id);
  await records.remove(refusalKind, { ids });
}

/** Removes the oldest hundredth of all. */
async function makeRoom(records: Repositories["records"]): Promise<void> {
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
  const detail = error instanceof ServiceError && noted.length === 0 ? error.detail : undefined;
  if (detail === undefined) return { code, findings };
  const asked = requestChecks[check ?? "operation"];
  return { code, findings: [{ asked, found: `No: ${await withoutUnknownNames(database, detail, fields)}` }] };
}

async function readFinding(database: Database, finding: Finding | FindingReader): Promise<readonly Finding[]> {
  if (typeof finding !== "function") return [finding];
  try {
    return await (finding as (database: Database) => Promise<readonly Finding[]>)(database);
  } catch {
    return [];
  }
}

/** Masks quoted texts, and the names in JSON pointers that are no fields, classes or attributes. Clients may choose them. */
async function withoutUnknownNames(
  { models, storage }: Database,
  detail: string,
  fields: RefusedRequest["fields"],
): Promise<string> {
  const unquoted = detail.replaceAll(/"[^"]*"/g, '"…"');
  if (!unquoted.includes("at /")) return unquoted;
  const model = await models.current(0, storage.repositories.model);
  const known = new Set(fields());
  for (const { definition, attributes } of model.all())
    for (const name of [definition.name, ...attributes.keys()]) known.add(name);
  return unquoted.replaceAll(/\bat \/([^\s:]*)/g, (_all, pointer: string) => {
    const parts = pointer.split("/").map((part) => (/^\d*$/.test(part) || known.has(part) ? part : "…"));
    return `at /${parts.join("/")}`;
  });
}

/** A check, its question and what it found. */
export interface ExplainedStep {
  readonly asked: string;
  readonly found: string;
}

interface ExplainedFailure {
  readonly code: ErrorCode;
  readonly status: number;
  /** `statusMessage` of the response. */
  readonly name: string;
  /** In order. The last one refused. */
  readonly steps: readonly ExplainedStep[];
}

/** Why a request was refused. */
export interface Explanation {
  readonly requestId: string;
  /** Time of the response, milliseconds since 1970 by the storage's clock. */
  readonly at: number;
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  readonly network: string;
  readonly appKey: string | null;
  readonly mode: SessionMode | null;
  /** Login name of the account, or its id if the account was removed. */
  readonly user: string | null;
  /** `null` if only items of a multi request failed. */
  readonly failure: ExplainedFailure | null;
  /** The first failed items of a multi request. */
  readonly items: readonly (ExplainedFailure & Pick<StoredItem, "index" | "method" | "route">)[];
}

/** Explains a refused request. `null` if no refusal with this request id is stored. */
export async function explainRefusal(
  { r }: { readonly r: Pick<Repositories, "records" | "accounts"> },
  requestId: string,
): Promise<Explanation | null> {
  const [record] = await r.records.get(refusalKind, [requestId]);
  if (record === undefined) return null;
  const { value, owner, createdAt } = record;
  const { method, route, appKey, mode, accountId, failure, items, delay } = value;
  const account = accountId === null ? null : (await r.accounts.find({ id: accountId }, [])).account;
  const user = account?.loginName ?? accountId;
  return {
    requestId,
    at: createdAt - delay,
    method,
    route,
    network: owner ?? "",
    appKey,
    mode,
    user,
    failure: failure === null ? null : { ...entryOf(failure), steps: stepsOf(value, failure, user) },
    items: items.map(({ findings, ...item }) => ({ ...item, ...entryOf(item), steps: findings.map(stepOf) })),
  };
}

function entryOf({ code }: Pick<StoredFailure, "code">): Omit<ExplainedFailure, "steps"> {
  const { status, name } = errorEntry(code);
  return { code, status, name };
}

/** The checks before the refusing one have passed. */
function stepsOf({ check, appKey, mode }: StoredRefusal, failure: StoredFailure, user: string | null): ExplainedStep[] {
  const names = Object.keys(requestChecks) as RequestCheck[];
  const passed = names.slice(0, check === null ? 0 : names.indexOf(check)).flatMap((name): ExplainedStep[] => {
    const asked = requestChecks[name];
    switch (name) {
      case "preflight":
        return [];
      case "appKey":
        return [{ asked, found: appKey === null ? "The route needs none." : `Yes, the app key "${appKey}".` }];
      case "session":
        return [
          { asked, found: mode === null ? "The route needs none." : `Yes, mode ${mode}, user "${user ?? "unknown"}".` },
        ];
      case "channel":
      case "message":
        return mode === "secure" ? [{ asked, found: "Yes." }] : [];
      case "enrolment":
        return mode === null ? [] : [{ asked, found: "Yes." }];
      default:
        return [{ asked, found: "Yes." }];
    }
  });
  const { name } = errorEntry(failure.code);
  const findings = failure.findings.length > 0 ? failure.findings.map(stepOf) : [];
  if (check !== null && findings.length === 0) findings.push({ asked: requestChecks[check], found: `No: ${name}.` });
  return [...passed, ...findings];
}

function stepOf({ asked, found }: Finding): ExplainedStep {
  return { asked, found };
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
