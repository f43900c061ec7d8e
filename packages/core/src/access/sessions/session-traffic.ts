import type { Digest, RecordKind, RecordRepository, Repositories, Storage } from "@sallyport/storage";

/** Bytes on the connections of a client, including the heads of the messages. */
export interface SessionTraffic {
  /** Bytes that the server received. */
  readonly received: number;
  readonly sent: number;
}

export interface CountedTraffic extends SessionTraffic {
  /** Milliseconds for which the session is kept without a request. */
  readonly idleTimeout: number;
}

/** By session digest. */
const trafficKind: RecordKind<SessionTraffic> = "sessionTraffic";

/** Sessions per transaction. */
const pageSize = 100;

/**
 * Adds the counts to the stored sums, some sessions at a time, and removes what is stored from `counted`. What remains met a
 * write of another server: call again. A record lives at least as long as its session, because a request is counted after
 * it has extended the session. The caller does not add to `counted` during the call.
 */
export async function storeTraffic(
  storage: Pick<Storage, "transaction">,
  counted: Map<Digest, CountedTraffic>,
): Promise<void> {
  // Servers that store the same sessions lock them in the same order.
  const entries = [...counted].toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (let first = 0; first < entries.length; first += pageSize) {
    const page = entries.slice(first, first + pageSize);
    const stored = await storage.transaction(({ records }) => storePage(records, page));
    for (const digest of stored) counted.delete(digest);
  }
}

/** Returns the stored sessions. */
async function storePage(
  records: RecordRepository,
  page: readonly (readonly [Digest, CountedTraffic])[],
): Promise<readonly Digest[]> {
  const ids = page.map(([digest]) => digest);
  const stored = new Map((await records.get(trafficKind, ids)).map((record) => [record.id, record]));
  const outcomes = await Promise.all(
    page.map(([digest, { received, sent, idleTimeout }]) => {
      const before = stored.get(digest);
      const sum = { received: received + (before?.value.received ?? 0), sent: sent + (before?.value.sent ?? 0) };
      return records.put(trafficKind, digest, sum, {
        lifetime: idleTimeout,
        ifVersion: before?.version ?? ("none" as const),
      });
    }),
  );
  return ids.filter((_, index) => outcomes[index] === "stored");
}

/** The stored traffic of these sessions. Sessions without any are absent. */
export async function trafficOf(
  { records }: Pick<Repositories, "records">,
  digests: readonly Digest[],
): Promise<ReadonlyMap<Digest, SessionTraffic>> {
  const entries = digests.length === 0 ? [] : await records.get(trafficKind, digests);
  return new Map(entries.map(({ id, value }) => [id, value]));
}
