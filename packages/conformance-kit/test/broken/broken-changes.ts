import { type Change, objectNumber } from "@sallyport/storage";
import { type BrokenAdapter, broken, fromTheStart, unlimited, withFeed } from "./broken-adapter.ts";
import { ChangeLog, sideBySide, soundly, type ChangeFeed } from "./side-by-side.ts";

const overlapping = [
  "never adds changes below a watermark that was read during an open transaction",
  "gives a follower every change once during concurrent writes",
];

function withChanges(fault: string, caughtBy: readonly string[], changed: Partial<ChangeFeed>): BrokenAdapter {
  return { fault, caughtBy, create: (options) => sideBySide(options, { ...soundly, ...changed }) };
}

/** Faults in reported changes. */
export const brokenChanges: readonly BrokenAdapter[] = [
  withChanges("stamps changes from a plain sequence", overlapping, { watermark: (log) => log.highestKept }),

  withChanges(
    "stamps changes with the number of the transaction",
    ["gives the first write of a transaction a stamp above all watermarks so far"],
    { stamp: (_log, unit) => unit.begun },
  ),

  withChanges("stamps changes from a clock", overlapping, {
    stamp: (_log, unit) => ChangeLog.stampOf(unit) ?? Date.now(),
    watermark: () => Date.now(),
  }),

  withChanges(
    "stamps each object separately",
    ["gives the changes of one transaction the same stamp and shows them together"],
    {
      stamp: (log) => log.next(),
    },
  ),

  withChanges(
    "reports changes before the commit",
    [
      "gives the changes of one transaction the same stamp and shows them together",
      "hides the changes of a transaction from itself",
    ],
    { tells: "open work", watermark: (log) => log.highestKept },
  ),

  withChanges(
    "reports rolled-back changes",
    [
      "hides changes of rolled-back transactions without delaying others",
      "gives a follower every change once during concurrent writes",
    ],
    {
      tells: "rolled-back work",
    },
  ),

  broken(
    "reports every change of an object",
    "replaces the change of an object with the latest one and its version",
    () => {
      const told = new Map<string, Change>();
      return (r) =>
        withFeed(
          r,
          (changes, { after, upTo, limit }) => {
            for (const change of changes) told.set(`${change.stamp} ${change.id}`, change);
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
          (query) => ({ ...fromTheStart(query), upTo: Infinity }),
        );
    },
  ),

  broken(
    "keeps a change at the stamp of the creation",
    "replaces the change of an object with the latest one and its version",
    () => {
      const first = new Map<string, number>();
      return (r) =>
        withFeed(
          r,
          (all, { after, limit }) => {
            for (const { id, stamp } of all) if (!first.has(id)) first.set(id, stamp);
            return all.filter(({ id }) => (first.get(id) ?? 0) > after.stamp).slice(0, limit);
          },
          fromTheStart,
        );
    },
  ),

  broken(
    "treats pages as stamps",
    "reads pages of changes without gaps or duplicates during concurrent writes",
    () => (r) =>
      withFeed(
        r,
        (changes) => changes,
        ({ after, ...query }) => ({ ...query, after: { ...after, id: null } }),
      ),
  ),

  broken(
    "includes the given position",
    "reads changes after a given position, within a stamp and after it",
    () => (r) =>
      withFeed(
        r,
        (all, { after, limit }) =>
          all
            .filter(
              ({ stamp, id }) =>
                stamp > after.stamp ||
                (stamp === after.stamp && after.id !== null && objectNumber(id) >= objectNumber(after.id)),
            )
            .slice(0, limit),
        fromTheStart,
      ),
  ),

  broken(
    "ignores the end of the requested range",
    "ends at the highest requested stamp and at the limit",
    () => (r) =>
      withFeed(
        r,
        (changes) => changes,
        (query) => ({ ...query, upTo: Infinity }),
      ),
  ),

  broken(
    "orders changes by object",
    "ends at the highest requested stamp and at the limit",
    () => (r) =>
      withFeed(
        r,
        (all, { limit }) => all.toSorted((one, other) => objectNumber(other.id) - objectNumber(one.id)).slice(0, limit),
        unlimited,
      ),
  ),

  broken(
    "omits changes of restricted objects",
    "returns a change for every stored object regardless of its readers",
    () => (r) => withFeed(r, (changes) => changes.filter(({ className }) => className !== "Image")),
  ),

  broken("decreases the watermark", "gives a follower every change once during concurrent writes", () => {
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
    "reports the changes of the transaction to itself",
    "hides the changes of a transaction from itself",
    () => (r) => ({
      changes: { watermark: async () => (await r.changes.watermark()) + 1 },
    }),
  ),
];
