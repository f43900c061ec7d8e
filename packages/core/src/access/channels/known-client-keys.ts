import { type Digest, type Digests, LruCache, type RecordKind, type Repositories } from "@sallyport/storage";
import type { AppKeyContext, Database } from "../../request/index.ts";

/** A client key that has logged in from a network. */
const knownClientKeyKind: RecordKind<{ readonly notedAt: number }> = "knownClientKey";

/** Milliseconds for which a client key is known after a log-in. */
const lifetime = 30 * 86_400_000;
/** Milliseconds after which another log-in is noted again. */
const renewal = 86_400_000;
/** Maximum number of client keys of a network. A new one replaces the oldest. */
const maxPerNetwork = 1_000;
/** Milliseconds until a note is stored. The answer is most likely sent by then. */
const noteDelay = 50;

/** Stores from which networks client keys have logged in, for all servers. */
export class KnownClientKeys {
  /** The times of the notes that this process has read or written, by id. */
  private readonly noteTimes = new LruCache<string, number>(10_000);

  constructor(
    private readonly digests: Digests,
    private readonly pause: (milliseconds: number) => Promise<unknown>,
  ) {}

  /** Whether the client key has logged in from the network of the request in the last 30 days. */
  async includes({ database, origin }: AppKeyContext, clientKey: Digest): Promise<boolean> {
    const { id } = this.placeOf(database, origin.network, clientKey);
    const notedAt = this.noteTimes.get(id);
    if (notedAt !== undefined && database.now() - notedAt < renewal) return true;
    const [record] = await recordsOf(database).get(knownClientKeyKind, [id]);
    if (record !== undefined) this.noteTimes.set(id, database.now());
    return record !== undefined;
  }

  /** Notes a log-in, after its answer and at most once a day. A lost note harms nothing. */
  note({ database, origin }: AppKeyContext, clientKey: Digest): void {
    const { id, owner } = this.placeOf(database, origin.network, clientKey);
    const now = database.now();
    if (now - (this.noteTimes.get(id) ?? Number.NEGATIVE_INFINITY) < renewal) return;
    this.noteTimes.set(id, now);
    void this.pause(noteDelay)
      .then(() => storeNote(recordsOf(database), { id, owner, notedAt: now }))
      .catch(() => {});
  }

  private placeOf({ alias }: Database, network: string, clientKey: Digest) {
    const { digests } = this;
    const owner = `network:${digests.sha256(`${alias} ${network}`).slice(0, 40)}`;
    return { id: digests.sha256(`${owner} ${clientKey}`), owner };
  }
}

interface Note {
  readonly id: string;
  readonly owner: string;
  readonly notedAt: number;
}

async function storeNote(records: Repositories["records"], { id, owner, notedAt }: Note): Promise<void> {
  const quota = { perOwner: maxPerNetwork, total: 0 };
  const store = () => records.putWithin(knownClientKeyKind, id, { notedAt }, { owner, lifetime, quota });
  const outcome = await store();
  if (outcome === "exists") await records.put(knownClientKeyKind, id, { notedAt }, { owner, lifetime });
  if (outcome !== "ownerFull") return;
  const all = await records.list(knownClientKeyKind, { owner, after: null, limit: maxPerNetwork });
  const [oldest] = all.toSorted((one, other) => one.value.notedAt - other.value.notedAt);
  if (oldest !== undefined) await records.remove(knownClientKeyKind, { ids: [oldest.id] });
  await store();
}

/** The note outlasts its request. */
function recordsOf({ whole }: Database): Repositories["records"] {
  return whole.storage.repositories.records;
}
