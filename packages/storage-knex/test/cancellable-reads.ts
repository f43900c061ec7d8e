import {
  beforeAllChanges,
  type CancellableRead,
  type Repositories,
  seesAll,
  type ServiceError,
} from "@sallyport/storage";

/** A client that can leave. */
export function client() {
  let leave = (): void => {};
  let subscribed = 0;
  return {
    onCancel: (call: () => void) => {
      subscribed += 1;
      leave = call;
      return () => {
        subscribed -= 1;
      };
    },
    leave: () => leave(),
    get subscribed() {
      return subscribed;
    },
  };
}

export const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => "read",
    (error: unknown) => (error as ServiceError).code,
  );

type Read = (r: Repositories, onCancel: NonNullable<CancellableRead["onCancel"]>) => Promise<unknown>;

const users = { classes: ["User"] };

/** One read of each kind that can be cancelled. */
export const cancellableReads: readonly (readonly [name: string, read: Read])[] = [
  ["lists", (r, onCancel) => r.objects.find(users, { ...seesAll, onCancel }, { offset: 0, limit: 1 })],
  [
    "sorted lists",
    (r, onCancel) =>
      r.objects.find(
        { ...users, sort: [{ path: { hops: [], leaf: "LoginName", type: "string" }, descending: false }] },
        { ...seesAll, onCancel },
        { offset: 0, limit: 1 },
      ),
  ],
  ["reads by number", (r, onCancel) => r.objects.get(["1", "2"], { ...seesAll, onCancel })],
  ["outlines", (r, onCancel) => r.objects.outlines(["1"], { ...seesAll, onCancel })],
  ["matches", (r, onCancel) => r.objects.match(users, { ...seesAll, onCancel }, 1)],
  ["counts", (r, onCancel) => r.objects.count({ ...users, recycled: true }, { ...seesAll, onCancel })],
  [
    "pages of changes",
    (r, onCancel) =>
      r.objects.changes({ ...users, after: beforeAllChanges, upTo: Number.MAX_SAFE_INTEGER, limit: 1 }, { onCancel }),
  ],
  ["tombstones", (r, onCancel) => r.deletion.find({ kind: "id", id: "1" }, { ...seesAll, onCancel })],
  [
    "pages of the recycle bin",
    (r, onCancel) =>
      r.deletion.listRecycled({ deletedBy: null, visibility: seesAll, after: null, limit: 1 }, { onCancel }),
  ],
];
