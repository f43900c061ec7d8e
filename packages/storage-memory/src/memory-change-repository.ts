import { type Change, type ChangeRepository, objectNumber } from "@sallyport/core";
import type { Access } from "./access.ts";
import { kindOf } from "./records.ts";
import type { State } from "./state.ts";

export const memoryChangeRepository = (access: Access): ChangeRepository => ({
  watermark: () => access.read(({ numbers }) => numbers.get("watermark") ?? 0),

  read(after, upTo, limit) {
    const behind = after.id === null ? Infinity : objectNumber(after.id);
    return access.read((state) =>
      [...state.stamps.entries()]
        .filter(
          ([number, stamp]) => stamp <= upTo && (stamp > after.stamp || (stamp === after.stamp && number > behind)),
        )
        .toSorted(([number, stamp], [other, otherStamp]) => stamp - otherStamp || number - other)
        .slice(0, limit)
        .flatMap(([number, stamp]) => changeOf(state, number, stamp)),
    );
  },
});

function changeOf({ objects, tombstones }: State, number: number, stamp: number): Change[] {
  const tombstone = tombstones.get(number);
  const last = objects.get(number) ?? tombstone?.object;
  if (last === undefined) return [];
  const { id, uuid, className, version } = last;
  return [{ stamp, id, uuid, className, version, kind: tombstone === undefined ? "stored" : kindOf(tombstone) }];
}
