import type {
  ClaimedRecord,
  PutOptions,
  PutWithinOptions,
  RecordRepository,
  RecordValue,
  Repositories,
  Settlement,
  StoredRecord,
} from "@sallyport/storage";
import { ConformanceError, isTrue } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { minute } from "../../fixtures/policy.ts";
import type { Subject } from "../../subject.ts";

/** The record kind used by the checks. */
export const sample = "sample";

/** A record without its age, which changes over time. */
export type RecordWithoutAge = Omit<StoredRecord, "age">;

export function withoutAge({
  id,
  owner,
  value,
  version,
  createdVersion,
  createdAt,
}: RecordWithoutAge): RecordWithoutAge {
  return { id, owner, value, version, createdVersion, createdAt };
}

/** Asserts that an age, in milliseconds, is at least `least` and less than a minute more. */
export function assertAge(age: number, least: number): void {
  isTrue(least <= age && age < least + minute, `The age must not be ${age} ms`);
}

type Selection = Partial<Parameters<RecordRepository["list"]>[1]>;
type Claim = Pick<ClaimedRecord, "id" | "version">;

/** The records of one kind: the port's calls without the kind argument, and common queries. */
export function samplesOf({ records }: Pick<Repositories, "records">, kind = sample) {
  const get = (...ids: readonly string[]) => records.get(kind, ids);
  const put = (id: string, value: RecordValue, options?: PutOptions) => records.put(kind, id, value, options);
  const list = (selection: Selection = {}) => records.list(kind, { after: null, limit: 10, ...selection });
  const claim = (limit: number, lease = minute) => records.claim(kind, limit, lease);
  return {
    get,
    put,
    list,
    claim,
    putWithin: (id: string, value: RecordValue, options: PutWithinOptions) =>
      records.putWithin(kind, id, value, options),
    take: (id: string) => records.take(kind, id),
    remove: (selector: Parameters<RecordRepository["remove"]>[1]) => records.remove(kind, selector),
    settle: (claimed: Claim, settlement: Settlement) => records.settle(kind, claimed, settlement),
    count: () => records.count(kind),

    size: async () => (await records.count(kind)).count,
    ids: async (selection?: Selection) => idsOf(await list(selection)),
    values: async () => (await list()).map(({ value }) => value),
    claimIds: async (limit: number, lease?: number) => idsOf(await claim(limit, lease)),

    /** Puts records, each with its id as its value. */
    async fill(...ids: readonly string[]): Promise<void> {
      for (const id of ids) await put(id, id);
    },

    /** The record with this id. Throws if there is none. */
    async of(id: string): Promise<RecordWithoutAge> {
      const [record] = await get(id);
      if (record === undefined) throw new ConformanceError(`The record ${JSON.stringify(id)} must exist.`);
      return withoutAge(record);
    },

    /** Claims the first due record. Throws if there is none. */
    async claimFirst(lease?: number): Promise<ClaimedRecord> {
      const [claimed] = await claim(1, lease);
      if (claimed === undefined) throw new ConformanceError("A record must be due.");
      return claimed;
    },

    /** Puts a record and claims it for a minute. Throws if it is not the first due record. */
    async claimNew(id = "record", options?: PutOptions): Promise<ClaimedRecord> {
      await put(id, id, options);
      const [claimed] = await claim(1);
      if (claimed?.id !== id) throw new ConformanceError("The new record must be the first due record.");
      return claimed;
    },
  };
}

/** Sweeps at most `limit` records. Returns the number of swept records by kind. */
export async function sweep({ records }: Repositories, limit: number): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(await records.sweep(limit));
}

export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `record ${index}`);

/** A subject with its records of the sample kind as `s`. */
export type SampleSubject = Subject & { readonly s: ReturnType<typeof samplesOf> };

export function recordChecks(
  section: string,
  needs: Check["needs"],
  runs: { readonly [name: string]: (subject: SampleSubject) => Promise<void> },
): readonly Check[] {
  return checksAfter(section, async ({ r }) => ({ s: samplesOf(r) }), runs, { needs });
}
