import type { PushedChangeData } from "@sallyport/contract";
import type { DeviceRecords } from "./device-records.ts";
import type { ObjectState, PendingChange } from "./object-state.ts";
import { replaced } from "./outcomes.ts";
import { hasReference, linksOf, referencesOf, separated } from "./references.ts";

/** Bytes of the changes of a push. The server accepts 8 MiB with the rest of the body. */
const maxBytes = 8 * 1024 * 1024 - 64 * 1024;

export interface BatchLimits {
  readonly maxChanges: number;
  /** Objects whose changes wait. */
  readonly postponed: { has(uuid: string): boolean };
  /** Objects whose creation waits. Changes that refer to them wait, too. */
  readonly waiting: ReadonlySet<string>;
  readonly newId: () => string;
}

/**
 * The next changes in the order of the edits, marked as sent: they no longer change. At most one per object.
 *
 * A change follows the creations of the objects to which it refers. After a restore, these can be later edits, and
 * new objects can refer to one another: then one of them is created without its references, which follow.
 */
export async function nextBatch(records: DeviceRecords, limits: BatchLimits): Promise<PushedChangeData[]> {
  const batch = new Batch(records, limits);
  for (let after: string | undefined; ; ) {
    const places = await records.list("queue", after);
    const states = await records.states([...new Set(places.map(([, uuid]) => uuid))]);
    const targets = await records.states([...new Set([...states.values()].flatMap(targetsOf))]);
    for (const [key, uuid] of places) {
      const state = states.get(uuid);
      const change = state?.pending[0];
      if (state === undefined || change === undefined || limits.postponed.has(uuid)) continue;
      // The object has an earlier change: in this batch, or it waits for a decision.
      if (batch.has(uuid)) return batch.changes;
      if (records.sequenceOf(key) !== change.sequence || change.held !== undefined) continue;
      const missing = targetsOf(state).filter((each) => !batch.has(each) && isNew(targets.get(each)));
      batch.offer({ uuid, before: state, state, change }, new Set(missing));
      if (batch.isFull) return batch.changes;
    }
    after = places.at(-1)?.[0];
    if (after === undefined) break;
  }
  batch.breakCycles();
  return batch.changes;
}

interface Candidate {
  readonly uuid: string;
  /** The stored state. */
  readonly before: ObjectState;
  /** The state to store. */
  readonly state: ObjectState;
  /** Its first change. */
  readonly change: PendingChange;
}

/** A candidate that refers to new objects whose creations are not in the batch. */
interface Blocked extends Candidate {
  readonly missing: Set<string>;
}

class Batch {
  readonly #records: DeviceRecords;
  readonly #limits: BatchLimits;
  readonly #sent = new Map<string, PushedChangeData>();
  readonly #blocked = new Map<string, Blocked>();
  /** The objects whose changes wait for a creation, by the object to create. */
  readonly #dependants = new Map<string, string[]>();
  #bytes = 0;
  #isOverfull = false;
  /** Objects that must not be deleted yet: a change that waits, or can return, may replace a reference to them. */
  readonly #kept = new Set<string>();
  /** Changes that can return in parts. */
  readonly #returning = new Set<string>();
  /** Blocked objects, each of which refers to the next one. */
  #trail: string[] = [];

  constructor(records: DeviceRecords, limits: BatchLimits) {
    this.#records = records;
    this.#limits = limits;
  }

  get changes(): PushedChangeData[] {
    return [...this.#sent.values()];
  }

  get isFull(): boolean {
    return this.#isOverfull || this.#sent.size >= this.#limits.maxChanges;
  }

  has(uuid: string): boolean {
    return this.#sent.has(uuid);
  }

  /** Adds a change, or keeps it until the missing objects are added. */
  offer(candidate: Candidate, missing: Set<string>): void {
    const { uuid, change } = candidate;
    if (change.op === "delete" && this.#kept.has(uuid)) return;
    const waits = hasReference(change.fields, this.#limits.waiting);
    if (waits || missing.size > 0) this.#keepTargets(candidate);
    if (waits) return;
    if (missing.size === 0) return this.#add(candidate);
    this.#blocked.set(uuid, { ...candidate, missing });
    for (const each of missing) {
      const dependants = this.#dependants.get(each);
      if (dependants === undefined) this.#dependants.set(each, [uuid]);
      else dependants.push(uuid);
    }
  }

  /** Creates objects that refer to one another: the first without its references, then those that waited for it. */
  breakCycles(): void {
    const outside = Array.from(this.#blocked.values()).filter(({ missing }) =>
      Array.from(missing).some((uuid) => !this.#blocked.has(uuid)),
    );
    // They, and those that wait for them, wait for an object outside of a cycle.
    for (const { uuid } of outside) {
      if (!this.#blocked.delete(uuid)) continue;
      for (const each of this.#dependants.get(uuid) ?? []) {
        const dependant = this.#blocked.get(each);
        if (dependant !== undefined) outside.push(dependant);
      }
    }
    while (this.#blocked.size > 0 && !this.isFull) {
      const cycle = this.#findCycle();
      const separable = cycle.filter(({ change }) => !change.isSent && change.references !== "whole");
      // A single reference is more often mandatory than a collection.
      const best = separable.find(isLinkedByCollections) ?? separable[0];
      const chosen = best ?? (cycle[0] as Blocked);
      this.#blocked.delete(chosen.uuid);
      this.#add(best === undefined ? chosen : this.#withoutMissing(best));
    }
  }

  /** Each blocked object refers to a blocked one, so every path ends in a cycle. Continues the path before the last one. */
  #findCycle(): Blocked[] {
    const path = new Map<string, Blocked>();
    let uuid: string | undefined;
    while (uuid === undefined || !this.#blocked.has(uuid)) uuid = this.#trail.pop() ?? first(this.#blocked.keys());
    while (!path.has(uuid)) {
      const blocked = this.#blocked.get(uuid) as Blocked;
      path.set(uuid, blocked);
      uuid = first(blocked.missing);
    }
    const uuids = [...path.keys()];
    const start = uuids.indexOf(uuid);
    for (const each of uuids.slice(0, start)) this.#trail.push(each);
    return [...path.values()].slice(start);
  }

  #keepTargets({ state, change }: Candidate): void {
    for (const each of referencesOf([state.fields, change.fields, change.base])) this.#kept.add(each);
  }

  #withoutMissing({ uuid, before, state, change, missing }: Blocked): Candidate {
    return { uuid, before, ...separated(state, change, linksOf(change, missing), this.#limits.newId()) };
  }

  /** Adds a change, and those that have waited for it. */
  #add(first: Candidate): void {
    const ready = [first];
    for (const candidate of ready) {
      const { uuid, before, state, change } = candidate;
      const message = wireOf(uuid, state, change);
      this.#bytes += new TextEncoder().encode(JSON.stringify(message)).length + 1;
      this.#isOverfull = this.#sent.size > 0 && this.#bytes > maxBytes;
      if (this.isFull) return;
      this.#sent.set(uuid, message);
      const after = replaced(state, change, { ...change, isSent: true });
      if (!change.isSent) this.#records.setState(uuid, before, after);
      if (this.#canReturn(candidate)) {
        this.#returning.add(uuid);
        this.#keepTargets(candidate);
      }
      for (const each of this.#released(uuid)) ready.push(each);
    }
  }

  #canReturn({ change: { op, fields, edits, references } }: Candidate): boolean {
    if (op === "delete") return false;
    if (references === "whole") return hasReference(fields, this.#returning);
    return references === "apart" || edits !== undefined || hasReference(fields);
  }

  #released(uuid: string): Blocked[] {
    return (this.#dependants.get(uuid) ?? []).flatMap((each) => {
      const blocked = this.#blocked.get(each);
      if (blocked === undefined || !blocked.missing.delete(uuid) || blocked.missing.size > 0) return [];
      this.#blocked.delete(each);
      return [blocked];
    });
  }
}

const first = <T>(values: Iterable<T>): T => values[Symbol.iterator]().next().value as T;
const targetsOf = ({ pending: [change] }: ObjectState) => referencesOf(change?.fields);
const isNew = (state: ObjectState | undefined) => state?.version === 0 && state.pending[0]?.op === "put";
const isLinkedByCollections = ({ change, missing }: Blocked) =>
  linksOf(change, missing).every((name) => Array.isArray(change.fields[name]));

function wireOf(
  uuid: string,
  { className }: ObjectState,
  { id, op, version, fields, base }: PendingChange,
): PushedChangeData {
  const common = { id, op, uuid, syncVersion: String(version) } as const;
  if (op === "delete") return common;
  if (version === 0) return { ...common, className, fields };
  return base === null ? { ...common, fields } : { ...common, fields, base };
}
