import type { DeviceRecords, Position } from "./device-records.ts";
import type { Page } from "./exchange.ts";
import type { FailureCode } from "../errors.ts";
import type { ObjectState } from "./object-state.ts";
import {
  codes,
  gone,
  missing,
  type Moment,
  type Outcome,
  type PushAnswer,
  received,
  type Restart,
  settled,
  type Uncreated,
} from "./outcomes.ts";

/** States of objects within a transaction, with the outcomes of events applied to them. */
export class ObjectChanges {
  readonly #records: DeviceRecords;
  readonly #newId: () => string;
  readonly #before: ReadonlyMap<string, ObjectState>;
  readonly #after = new Map<string, ObjectState | null>();
  #position: Position;

  private constructor(
    records: DeviceRecords,
    position: Position,
    before: ReadonlyMap<string, ObjectState>,
    newId: () => string,
  ) {
    this.#records = records;
    this.#position = position;
    this.#before = before;
    this.#newId = newId;
  }

  static async of(records: DeviceRecords, uuids: readonly string[], newId: () => string): Promise<ObjectChanges> {
    return new ObjectChanges(records, await records.position(), await records.states([...new Set(uuids)]), newId);
  }

  /** The position with the sequences that outcomes have used. */
  get position(): Position {
    return this.#position;
  }

  /** Stores the changes of a page. */
  addPage({ changed, deleted, excluded }: Page, restart: Restart): void {
    for (const object of changed) {
      const uuid = object["~UUID"];
      this.#add(uuid, received(this.#stateOf(uuid), object, restart, this.#moment));
    }
    for (const { uuid, version } of deleted) {
      const state = this.#stateOf(uuid);
      // The device already knows a later state, from the answer to a change.
      if (state !== undefined && state.version <= version) this.#add(uuid, gone(uuid, state, codes.updateOfDeleted));
    }
    for (const uuid of excluded) {
      const state = this.#stateOf(uuid);
      if (state !== undefined) this.#add(uuid, gone(uuid, state, codes.unknown));
    }
  }

  /** Stores the answer to a change. Returns the code if the change is postponed. */
  addAnswer(answer: PushAnswer, uncreated: Uncreated): FailureCode | undefined {
    const { uuid } = answer.change;
    const outcome = settled(uuid, this.#stateOf(uuid), answer, this.#moment, uncreated);
    this.#add(uuid, outcome);
    return outcome.postponed;
  }

  /** Whether the server has not acknowledged an object yet. */
  isNew(uuid: string): boolean {
    return this.#stateOf(uuid)?.version === 0;
  }

  /** Removes an object that a complete pull did not contain. */
  addMissing(uuid: string, isRestored: boolean): void {
    const state = this.#stateOf(uuid);
    if (state !== undefined) this.#add(uuid, missing(uuid, state, isRestored, this.#moment));
  }

  /** Writes everything, with this position. */
  write(position: Position): void {
    for (const [uuid, state] of this.#after) {
      const before = this.#before.get(uuid);
      if (state !== (before ?? null)) this.#records.setState(uuid, before, state);
    }
    this.#records.setPosition({ ...position, sequence: this.#position.sequence });
  }

  get #moment(): Moment {
    return {
      generation: this.#position.generation,
      next: () => ({ id: this.#newId(), sequence: this.#nextSequence() }),
    };
  }

  #nextSequence(): number {
    this.#position = { ...this.#position, sequence: this.#position.sequence + 1 };
    return this.#position.sequence;
  }

  #stateOf(uuid: string): ObjectState | undefined {
    const after = this.#after.get(uuid);
    return after === undefined ? this.#before.get(uuid) : (after ?? undefined);
  }

  #add(uuid: string, { state, notices }: Outcome): void {
    this.#after.set(uuid, state);
    const sequence = this.#records.addNotices(notices, this.#position.sequence);
    this.#position = { ...this.#position, sequence };
  }
}
