import {
  type Attempt,
  type Change,
  type ChangePosition,
  objectNumber,
  type ObjectRepository,
  type Repositories,
  type Storage,
  type StoredObject,
} from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { brokenStorage } from "./broken-adapter.ts";

/** A running call or transaction with its writes. */
export interface Unit {
  /** A number that was given at its start. */
  readonly begun: number;
  readonly changes: Map<string, Change>;
}

/** The changes of committed and of running units. */
export class ChangeLog {
  readonly kept = new Map<string, Change>();
  readonly atWork = new Set<Unit>();
  private tickets = 0;

  next(): number {
    this.tickets += 1;
    return this.tickets;
  }

  /** The stamp of the first change of a unit. */
  static stampOf({ changes }: Unit): number | undefined {
    return [...changes.values()][0]?.stamp;
  }

  /** No change up to this stamp can still appear, provided that units have one stamp. */
  get complete(): number {
    const open = [...this.atWork].flatMap((unit) => ChangeLog.stampOf(unit) ?? []);
    return Math.min(this.tickets + 1, ...open) - 1;
  }

  get highestKept(): number {
    return Math.max(0, ...[...this.kept.values()].map(({ stamp }) => stamp));
  }
}

/** The rules for stamping and reporting changes. */
export interface ChangeFeed {
  /** The stamp for a write of a unit. */
  readonly stamp: (log: ChangeLog, unit: Unit) => number;
  readonly watermark: (log: ChangeLog) => number;
  /** The units to report in addition to committed ones. */
  readonly tells?: "open work" | "rolled-back work";
}

/** The correct rules. */
export const soundly: ChangeFeed = {
  stamp: (log, unit) => ChangeLog.stampOf(unit) ?? log.next(),
  watermark: (log) => log.complete,
};

/** A memory storage with overlapping transactions, as far as changes show. The objects themselves are visible immediately. */
export function sideBySide(
  options: { readonly clockOffset: () => number },
  { stamp, watermark, tells }: ChangeFeed,
): Storage {
  const storage = new MemoryStorage(options);
  const log = new ChangeLog();
  const keep = ({ changes }: Unit) => {
    for (const [id, change] of changes)
      if (change.version >= (log.kept.get(id)?.version ?? 0)) log.kept.set(id, change);
  };

  const repositoriesOf = (unit: Unit): Repositories => {
    const { objects } = storage.repositories;
    const note = async (writing: Promise<StoredObject[]>) => {
      const written = await writing;
      for (const object of written) unit.changes.set(object.id, changeOf(object, stamp(log, unit)));
      if (tells === "open work") keep(unit);
      return written;
    };
    return {
      ...storage.repositories,
      objects: replaced(objects, {
        insert: (...inserted) => note(objects.insert(...inserted)),
        update: (...changed) => note(objects.update(...changed)),
        watermark: async () => watermark(log),
        changes: async ({ classes, after, upTo, limit }) => ({
          changes: inOrder(log.kept.values())
            .filter((change) => classes.includes(change.className) && isWithin(change, after, upTo))
            .slice(0, limit),
          swept: 0,
        }),
      }),
    };
  };

  const atWork = async <T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> => {
    const unit: Unit = { begun: log.next(), changes: new Map() };
    log.atWork.add(unit);
    const attempt: Attempt = async (nested) => {
      const before = [...unit.changes];
      try {
        return await nested();
      } catch (error) {
        unit.changes.clear();
        for (const [id, change] of before) unit.changes.set(id, change);
        throw error;
      }
    };
    try {
      const result = await work(repositoriesOf(unit), attempt);
      keep(unit);
      return result;
    } catch (error) {
      if (tells === "rolled-back work") keep(unit);
      throw error;
    } finally {
      log.atWork.delete(unit);
    }
  };

  const outside = repositoriesOf({ begun: 0, changes: new Map() });
  return brokenStorage(storage, {
    repositories: {
      ...outside,
      objects: replaced(outside.objects, {
        insert: (...inserted) => atWork((r) => r.objects.insert(...inserted)),
        update: (...changed) => atWork((r) => r.objects.update(...changed)),
      }),
    },
    transaction: atWork,
  });
}

function replaced(objects: ObjectRepository, replacement: Partial<ObjectRepository>): ObjectRepository {
  return Object.assign(Object.create(objects) as ObjectRepository, replacement);
}

function changeOf({ id, uuid, className, version, readers }: StoredObject, stamp: number): Change {
  return {
    stamp,
    id,
    uuid,
    className,
    version,
    kind: "stored",
    readers,
    readersBefore: version === 1 ? [] : readers,
    reveals: false,
  };
}

function inOrder(changes: Iterable<Change>): Change[] {
  return [...changes].toSorted(
    (one, other) => one.stamp - other.stamp || objectNumber(one.id) - objectNumber(other.id),
  );
}

function isWithin({ stamp, id }: Change, after: ChangePosition, upTo: number): boolean {
  const isBehind =
    stamp === after.stamp ? after.id !== null && objectNumber(id) > objectNumber(after.id) : stamp > after.stamp;
  return isBehind && stamp <= upTo;
}
