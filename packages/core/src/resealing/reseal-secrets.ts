import { type KeyWrapping, requireWrapping, type SealedPurpose } from "../keys/index.ts";
import type { AdministrationContext, Uses } from "../request/index.ts";
import type { StoredRecord } from "@sallyport/storage";
import { type Reseal, type SealedRecords, sealedTexts } from "./sealed-texts.ts";

/** The sealed texts of one record kind, or of the live secure sessions. */
export interface SealedCount {
  /** The record kind, or `secureSession`. */
  readonly kind: string;
  /** Number of records or sessions, including those without a sealed text. */
  readonly total: number;
  /** Number of those that need a former master key. */
  readonly former: number;
  /** Number of those that no configured master key opens. */
  readonly unreadable: number;
  /** When the last of `former` has ended by itself, in milliseconds since 1970. `null`: never, or there are none. */
  readonly until: number | null;
}

export interface ResealedSecrets {
  /** Number of records that were sealed again. */
  readonly resealed: number;
  /** Counts after the run. */
  readonly counts: readonly SealedCount[];
}

export interface ResealInput {
  /** Counts only. */
  readonly dryRun?: boolean;
  /** Called after each page with the number of records or sessions in it. */
  readonly onProgress?: (length: number) => void;
}

/** A value with its texts sealed again, and whether one of them needed a former key, and one could not be opened. */
interface Examined<Value> {
  readonly value: Value;
  readonly former: boolean;
  readonly unreadable: boolean;
}

const pageSize = 200;

const allRecords = Object.values(sealedTexts).flatMap((records) => (typeof records === "string" ? [] : records));

/**
 * Seals the records of a database again under the current master key, page by page. A record is changed only if no one
 * else has changed it, so servers can keep running and the work can stop at any time: the next run selects what is
 * left. A run that has sealed something is audited at its end. Throws 705 without a master key.
 */
export async function resealSecrets(
  context: AdministrationContext & Uses<{ readonly keyWrapping: KeyWrapping | null }>,
  { dryRun = false, onProgress = () => {} }: ResealInput = {},
): Promise<ResealedSecrets> {
  requireWrapping(context.services.keyWrapping);
  let resealed = 0;
  for (const sealed of dryRun ? [] : allRecords.filter(({ treatment }) => treatment !== "expire"))
    for await (const page of pagesOf(context, sealed)) {
      resealed += await resealPage(context, sealed, page);
      onProgress(page.length);
    }
  if (resealed > 0) await context.r.audit.append(context.eventOf({ type: "secrets.resealed" }));
  const counts: SealedCount[] = [];
  for (const sealed of allRecords) counts.push(await countRecords(context, sealed, onProgress));
  return { resealed, counts: [...counts, await countSessions(context, onProgress)] };
}

/** Number of records that were sealed again. Not those that need no former key, or that others have changed. */
async function resealPage(
  context: AdministrationContext & Uses<{ readonly keyWrapping: KeyWrapping | null }>,
  { kind, treatment, map }: SealedRecords,
  page: readonly StoredRecord[],
): Promise<number> {
  const { database, unit } = context;
  const resealed = page.flatMap(({ id, owner, version, value }) => {
    const { former, value: next } = examine(context, (reseal) => map(value, reseal, database.alias));
    return former ? [{ id, owner, version, value: next }] : [];
  });
  if (resealed.length === 0) return 0;
  // One commit for all. In the order of the ids, as in all calls for several records.
  const outcomes = await unit.transaction(({ records }) =>
    Promise.all(
      resealed.map(async ({ id, owner, version, value }) =>
        treatment === "inPlace"
          ? records.settle(kind, { id, version }, { value })
          : (await records.put(kind, id, value, { owner, ifVersion: version })) === "stored",
      ),
    ),
  );
  return outcomes.filter(Boolean).length;
}

async function countRecords(
  context: AdministrationContext & Uses<{ readonly keyWrapping: KeyWrapping | null }>,
  sealed: SealedRecords,
  onProgress: (length: number) => void,
): Promise<SealedCount> {
  const count = new Counting(sealed.kind);
  for await (const page of pagesOf(context, sealed)) {
    for (const record of page) {
      const examined = examine(context, (reseal) => sealed.map(record.value, reseal, context.database.alias));
      count.add(examined, sealed.endOf(record));
    }
    onProgress(page.length);
  }
  return count;
}

async function countSessions(
  context: AdministrationContext & Uses<{ readonly keyWrapping: KeyWrapping | null }>,
  onProgress: (length: number) => void,
): Promise<SealedCount> {
  const {
    database: { alias },
    r,
  } = context;
  const count = new Counting("secureSession");
  for (let after: string | null = null; ; ) {
    const page = await r.sessions.list({ after, limit: pageSize });
    for (const { wrappedKey, endsAt } of page) {
      if (wrappedKey === null) continue;
      count.add(
        examine(context, (reseal) => reseal(wrappedKey, `channel key|${alias}`)),
        endsAt,
      );
    }
    onProgress(page.length);
    if (page.length < pageSize) return count;
    after = page.at(-1)?.digest ?? null;
  }
}

function examine<Value>(
  context: Uses<{ readonly keyWrapping: KeyWrapping | null }>,
  map: (reseal: Reseal) => Value,
): Examined<Value> {
  const wrapping = requireWrapping(context.services.keyWrapping);
  let [former, unreadable] = [false, false];
  const value = map((text: string, purpose: SealedPurpose) => {
    const again = wrapping.rewrap(text, purpose);
    if (again === undefined) unreadable = true;
    else if (again !== text) former = true;
    return again ?? text;
  });
  return { value, former, unreadable };
}

/** A count that is added up. */
class Counting implements SealedCount {
  total = 0;
  former = 0;
  unreadable = 0;
  until: number | null = null;

  constructor(readonly kind: string) {}

  add({ former, unreadable }: Examined<unknown>, end: number | null): void {
    this.total += 1;
    if (unreadable) this.unreadable += 1;
    if (!former) return;
    this.former += 1;
    const isFirst = this.former === 1;
    this.until = isFirst ? end : end === null || this.until === null ? null : Math.max(this.until, end);
  }
}

async function* pagesOf(
  { r: { records } }: AdministrationContext,
  { kind }: SealedRecords,
): AsyncGenerator<StoredRecord[], void, undefined> {
  for (let after: string | null = null; ; ) {
    const page: StoredRecord[] = await records.list(kind, { after, limit: pageSize });
    yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.id ?? null;
  }
}
