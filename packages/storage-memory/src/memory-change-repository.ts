import {
  type Change,
  type ChangePosition,
  type ChangeRepository,
  objectIdOf,
  objectNumber,
  type StoredObject,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import { kindOf } from "./records.ts";
import { type State, writeStamp } from "./state.ts";

export const memoryChangeRepository = (access: Access): ChangeRepository => ({
  watermark: () => access.read(({ numbers }) => numbers.get("watermark") ?? 0),

  read: ({ classes, after, upTo, limit }) =>
    access.read((state) => {
      const wanted = new Set(classes);
      const changes = [...positionsIn(state)]
        .filter((position) => position.stamp <= upTo && isBehind(position, after))
        .map((position) => changeAt(state, position))
        .filter(({ className }) => wanted.has(className))
        .toSorted(inOrder)
        .slice(0, limit);
      return { changes, swept: state.numbers.get("sweptStamp") ?? 0 };
    }),
});

type Place = Pick<Change, "id" | "stamp">;

/** The positions of all changes, in any order. */
function* positionsIn({ stamps, formerReaders }: State): Generator<Place> {
  for (const [number, stamp] of stamps.entries()) yield { id: objectIdOf(number), stamp };
  for (const [number, entries] of formerReaders.entries()) {
    const latest = stamps.get(number);
    for (const { stamp } of entries) if (stamp !== latest) yield { id: objectIdOf(number), stamp };
  }
}

function isBehind({ id, stamp }: Place, after: ChangePosition): boolean {
  if (stamp !== after.stamp) return stamp > after.stamp;
  return after.id !== null && objectNumber(id) > objectNumber(after.id);
}

function inOrder(one: Place, other: Place): number {
  return one.stamp - other.stamp || objectNumber(one.id) - objectNumber(other.id);
}

function changeAt(state: State, { id, stamp }: Place): Change {
  const number = objectNumber(id);
  const { createdStamps, formerReaders, objects, stamps, tombstones } = state;
  const tombstone = tombstones.get(number);
  const last = (objects.get(number) ?? tombstone?.object) as StoredObject;
  const { uuid, className, version, readers } = last;
  const former = formerReaders.get(number)?.find((entry) => entry.stamp === stamp);
  const readersBefore = former?.readers ?? (former === undefined ? readers : null);
  return {
    stamp,
    id,
    uuid,
    className,
    version,
    kind: stamp !== stamps.get(number) ? "superseded" : tombstone === undefined ? "stored" : kindOf(tombstone),
    readers,
    readersBefore: createdStamps.get(number) === stamp ? [] : readersBefore,
    reveals: former !== undefined,
  };
}

/**
 * Stores the readers of an object before the transaction changes them or restores it, unless it has created the object. Earlier entries
 * keep only other readers, so that each reader is in the last entry that ended the reader's access.
 */
export function keepFormerReaders(state: State, { id, readers }: StoredObject, changedAt: number): void {
  const [number, stamp] = [objectNumber(id), writeStamp(state)];
  const entries = state.formerReaders.get(number) ?? [];
  if (state.createdStamps.get(number) === stamp || entries.some((entry) => entry.stamp === stamp)) return;
  const others = entries.flatMap((entry) => {
    if (entry.readers === null) return readers === null ? [] : entry;
    const left = readers === null ? entry.readers : entry.readers.filter((reader) => !readers.includes(reader));
    return left.length === 0 ? [] : { ...entry, readers: left };
  });
  state.formerReaders.set(number, Object.freeze([...others, { readers, stamp, changedAt }]));
}
