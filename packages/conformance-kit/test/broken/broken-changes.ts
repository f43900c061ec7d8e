import { beforeAllChanges, type Change, objectNumber } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";
import { ChangeLog, sideBySide, soundly, type Telling } from "./side-by-side.ts";

const overlapping = [
  "never appear below what was read, though another transaction is still open",
  "lose nothing and repeat nothing for who follows writers at work",
];

function telling(fault: string, caughtBy: readonly string[], changed: Partial<Telling>): BrokenAdapter {
  return { fault, caughtBy, create: (options) => sideBySide(options, { ...soundly, ...changed }) };
}

/** Faults in what is told of changes. */
export const brokenChanges: readonly BrokenAdapter[] = [
  telling("takes stamps from a plain sequence", overlapping, { watermark: (log) => log.highestKept }),

  telling("takes stamps from a clock", overlapping, {
    stamp: (_log, unit) => ChangeLog.stampOf(unit) ?? Date.now(),
    watermark: () => Date.now(),
  }),

  telling("stamps every object for itself", ["of one transaction have one stamp, and show together"], {
    stamp: (log) => log.next(),
  }),

  telling(
    "tells of work before it is kept",
    ["of one transaction have one stamp, and show together", "are not told to the transaction that makes them"],
    { tells: "what is at work", watermark: (log) => log.highestKept },
  ),

  telling(
    "tells of what was taken back",
    [
      "of what is taken back never show, and hold nobody up",
      "lose nothing and repeat nothing for who follows writers at work",
    ],
    {
      tells: "what is taken back",
    },
  ),

  broken(
    "tells of every change of an object",
    "move up when an object is changed, and tell of it once, with its version",
    () => {
      const told = new Map<string, Change>();
      return (r) => ({
        changes: {
          read: async (after, upTo, limit) => {
            for (const change of await r.changes.read(beforeAllChanges, Infinity, Infinity))
              told.set(`${change.stamp} ${change.id}`, change);
            const all = [...told.values()].toSorted(
              (one, other) => one.stamp - other.stamp || objectNumber(one.id) - objectNumber(other.id),
            );
            return all
              .filter(
                ({ stamp, id }) =>
                  stamp <= upTo &&
                  (stamp > after.stamp ||
                    (stamp === after.stamp && after.id !== null && objectNumber(id) > objectNumber(after.id))),
              )
              .slice(0, limit);
          },
        },
      });
    },
  ),

  broken(
    "leaves a change where the object was created",
    "move up when an object is changed, and tell of it once, with its version",
    () => {
      const first = new Map<string, number>();
      return (r) => ({
        changes: {
          read: async (after, upTo, limit) => {
            const all = await r.changes.read(beforeAllChanges, upTo, Infinity);
            for (const { id, stamp } of all) if (!first.has(id)) first.set(id, stamp);
            return all.filter(({ id }) => (first.get(id) ?? 0) > after.stamp).slice(0, limit);
          },
        },
      });
    },
  ),

  broken(
    "takes pages for stamps",
    "are read in pages that fit together without gap or repetition while others write",
    () => (r) => ({
      changes: { read: (after, upTo, limit) => r.changes.read({ ...after, id: null }, upTo, limit) },
    }),
  ),

  broken(
    "begins with the place instead of behind it",
    "begin behind the place given, within a stamp and after it",
    () => (r) => ({
      changes: {
        read: async (after, upTo, limit) => {
          const all = await r.changes.read(beforeAllChanges, upTo, Infinity);
          return all
            .filter(
              ({ stamp, id }) =>
                stamp > after.stamp ||
                (stamp === after.stamp && after.id !== null && objectNumber(id) >= objectNumber(after.id)),
            )
            .slice(0, limit);
        },
      },
    }),
  ),

  broken("does not end where it is told to", "end with the highest stamp asked for, and with the limit", () => (r) => ({
    changes: { read: (after, _upTo, limit) => r.changes.read(after, Infinity, limit) },
  })),

  broken(
    "tells in the order of the objects",
    "end with the highest stamp asked for, and with the limit",
    () => (r) => ({
      changes: {
        read: async (after, upTo, limit) =>
          (await r.changes.read(after, upTo, Infinity))
            .toSorted((one, other) => objectNumber(other.id) - objectNumber(one.id))
            .slice(0, limit),
      },
    }),
  ),

  broken(
    "keeps restricted objects to itself",
    "tell of every object that was stored, whoever may see it",
    () => (r) => ({
      changes: {
        read: async (...asked) => (await r.changes.read(...asked)).filter(({ className }) => className !== "Image"),
      },
    }),
  ),

  broken("lets the watermark run backwards", "lose nothing and repeat nothing for who follows writers at work", () => {
    let calls = 0;
    return (r) => ({
      changes: {
        watermark: async () => {
          calls += 1;
          const watermark = await r.changes.watermark();
          return calls % 3 === 0 ? Math.floor(watermark / 2) : watermark;
        },
      },
    });
  }),

  broken(
    "counts the work of the transaction as done",
    "are not told to the transaction that makes them",
    () => (r) => ({
      changes: { watermark: async () => (await r.changes.watermark()) + 1 },
    }),
  ),
];
