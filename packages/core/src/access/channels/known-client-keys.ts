import { type Digest, type Digests, LruCache, type RecordKind, type Repositories } from "@sallyport/storage";
import type { AppKeyContext, Database } from "../../request/index.ts";

/** A client key that has logged in from a network. */
const knownClientKeyKind: RecordKind<{ readonly notedAt: number }> = "knownClientKey";

/** Milliseconds for which a client key is known after a log-in. */
const lifetime = 30 * 86_400_000;
/** Milliseconds after which another log-in is noted again. */
const renewal = 86_400_000;
/** Client keys that a network keeps, the latest ones. */
const perNetwork = 1_000;
/** Milliseconds after which an answer is most likely sent. */
const afterAnswer = 50;

/** Stores from which networks client keys have logged in, for all servers. */
export class KnownClientKeys {
  /** Client keys that this process knows, with the time of their note. */
  private readonly noted = new LruCache<string, number>(10_000);

  constructor(
    private readonly digests: Digests,
    private readonly pause: (milliseconds: number) => Promise<unknown>,
  ) {}

  async includes({ database, origin }: AppKeyContext, clientKey: Digest): Promise<boolean> {
    const { id } = this.placeOf(database, origin.network, clientKey);
    const notedAt = this.noted.get(id);
    if (notedAt !== undefined && database.now() - notedAt < renewal) return true;
    const [record] = await recordsOf(database).get(knownClientKeyKind, [id]);
    if (record !== undefined) this.noted.set(id, database.now());
    return record !== undefined;
  }

  /** Notes a log-in, after its answer and at most once a day. A lost note harms nothing. */
  note({ database, origin }: AppKeyContext, clientKey: Digest): void {
    const { id, owner } = this.placeOf(database, origin.network, clientKey);
    const now = database.now();
    if (now - (this.noted.get(id) ?? Number.NEGATIVE_INFINITY) < renewal) return;
    this.noted.set(id, now);
    void this.pause(afterAnswer)
      .then(() => put(recordsOf(database), { id, owner, notedAt: now }))
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

async function put(records: Repositories["records"], { id, owner, notedAt }: Note): Promise<void> {
  const quota = { perOwner: perNetwork, total: 0 };
  const store = () => records.putWithin(knownClientKeyKind, id, { notedAt }, { owner, lifetime, quota });
  const outcome = await store();
  if (outcome === "exists") await records.put(knownClientKeyKind, id, { notedAt }, { owner, lifetime });
  if (outcome !== "ownerFull") return;
  const all = await records.list(knownClientKeyKind, { owner, after: null, limit: perNetwork });
  const [oldest] = all.toSorted((one, other) => one.value.notedAt - other.value.notedAt);
  if (oldest !== undefined) await records.remove(knownClientKeyKind, { ids: [oldest.id] });
  await store();
}

/** The note outlasts its request. */
function recordsOf({ whole }: Database): Repositories["records"] {
  return whole.storage.repositories.records;
}
