import type { ObjectKeys } from "./object-repository.ts";
import type { Repositories } from "./repositories.ts";

/**
 * How a call uses its connection. `short`: reads or writes one row by its key, never waits for a lock and has a small
 * answer. `row`: writes one row by its key, and can wait for a lock. `search`: reads any number of objects or changes; its
 * second argument can be a `CancellableRead`. `survey`: the same, with that as its first argument. `read` and `write`: all
 * others.
 */
export type CallKind = "short" | "row" | "search" | "survey" | "read" | "write";

/** The kind of a call, or how its first argument decides. */
type KindOf<Method> = Method extends (first: infer First, ...others: never) => unknown
  ? CallKind | ((first: First) => CallKind)
  : never;

export type CallKinds = {
  readonly [Area in keyof Repositories]: {
    readonly [Name in keyof Repositories[Area]]: KindOf<Repositories[Area][Name]>;
  };
};

/** The kinds of all calls of the storage port. */
export const callKinds: CallKinds = {
  admission: { admit: "short", admitCallback: "write" },
  accounts: {
    find: "read",
    create: "write",
    change: "write",
    setSecret: "write",
    remove: "write",
    list: "read",
  },
  appKeys: { create: "write", setEnabled: "write", remove: "write", listsOrigin: "read", list: "read" },
  audit: { append: "write", settle: "write", read: "read", sweep: "write" },
  channels: { reserveOut: "short", acceptIn: "short", registerBlocks: "write", sweepBlocks: "write" },
  deletion: {
    lock: "write",
    referrers: "read",
    clear: "write",
    delete: "write",
    find: "search",
    recycledWith: "write",
    targets: "read",
    listRecycled: "search",
    purge: "write",
    restore: "write",
    sweep: "write",
  },
  locks: { take: "write", release: "write", state: "read" },
  model: { load: "read", lock: "write", change: "write" },
  objects: {
    get: (which) => (isSingle(which) ? "short" : "search"),
    outlines: "search",
    find: "search",
    match: "search",
    count: "search",
    lock: "write",
    insert: ofSeveral,
    update: ofSeveral,
    watermark: "survey",
    changes: "search",
  },
  records: {
    get: "read",
    put: "write",
    putWithin: "write",
    take: "write",
    remove: "write",
    list: "read",
    count: "read",
    claim: "write",
    settle: "write",
    sweep: "write",
  },
  sessions: {
    open: "write",
    changeAppNames: "write",
    end: "write",
    renew: "write",
    list: "read",
    count: "read",
    sweep: "write",
  },
  settings: { setMaintenance: "write", raise: "write", isEmpty: "read" },
  throttle: { attempt: "write", fail: "write", pass: "write", sweep: "write" },
};

function ofSeveral(rows: readonly unknown[]): CallKind {
  return rows.length === 1 ? "row" : "write";
}

function isSingle(which: ObjectKeys): boolean {
  return ("uuids" in which ? which.uuids : which).length === 1;
}
