import type { KeyRings, ServerKeyPair } from "../../keys/index.ts";
import type { Database } from "../../request/index.ts";

/** Milliseconds after which keys are looked up again, so that one that is taken out of its database is refused soon. */
const keptFor = 60_000;

interface Known {
  readonly keys: ReadonlyMap<string, ServerKeyPair>;
  /** By the process's clock: the time in which all of them are accepted, at most `keptFor` long. */
  readonly from: number;
  readonly until: number;
}

/** The look-ups of one database: one that runs, and one for everybody who came meanwhile. */
interface LookUps {
  running: Promise<Known> | null;
  next: Promise<Known> | null;
}

/**
 * The keys with which the tokens of a database may be signed, remembered for a minute and no longer than each of them is
 * accepted. Whoever asks for a key that is not among them has them looked up anew, because another process may just
 * have made it; however many ask, there is one look-up at a time.
 */
export class AcceptedTokenKeys {
  private readonly known = new WeakMap<Database, Known>();
  private readonly lookUps = new WeakMap<Database, LookUps>();

  /** @param now the process's clock, milliseconds; it measures spans only */
  constructor(
    private readonly keyRings: KeyRings,
    private readonly now: () => number,
  ) {}

  /** The accepted keys by id; the one that is asked for is among them unless it is not accepted. */
  async including(keyId: string, database: Database): Promise<ReadonlyMap<string, ServerKeyPair>> {
    const known = this.known.get(database);
    const now = this.now();
    // A clock that was set back does not prolong the time.
    if (known !== undefined && known.keys.has(keyId) && known.from <= now && now < known.until) return known.keys;
    return (await this.lookUp(database)).keys;
  }

  private lookUp(database: Database): Promise<Known> {
    let lookUps = this.lookUps.get(database);
    if (lookUps === undefined) this.lookUps.set(database, (lookUps = { running: null, next: null }));
    const { running, next } = lookUps;
    if (next !== null) return next;
    if (running === null) return this.run(database, lookUps);
    // What runs may have been answered before the key was made.
    const begin = (): Promise<Known> => {
      lookUps.next = null;
      return this.run(database, lookUps);
    };
    return (lookUps.next = running.then(begin, begin));
  }

  private run(database: Database, lookUps: LookUps): Promise<Known> {
    const running = this.load(database).finally(() => {
      if (lookUps.running === running) lookUps.running = null;
    });
    lookUps.running = running;
    return running;
  }

  private async load(database: Database): Promise<Known> {
    const from = this.now();
    const accepted = await this.keyRings.lasting("jwt", database);
    const ranges = accepted.map(({ lastsFor }) => lastsFor ?? keptFor);
    const known: Known = {
      keys: new Map(accepted.map(({ pair }) => [pair.keyId, pair])),
      from,
      until: from + Math.min(keptFor, ...ranges),
    };
    this.known.set(database, known);
    return known;
  }
}
