import type { SyncObjectData } from "@sallyport/contract";

/** Values of attributes by name: JSON. A reference is `{ "~UUID": … }` or `null`, a collection an array of these. */
export type Fields = Readonly<Record<string, unknown>>;

/** An edit that the server has not acknowledged. */
export interface PendingChange {
  /** The same in every attempt to push it. */
  readonly id: string;
  readonly op: "put" | "delete";
  /** Version of the server's copy at the time of the edit. 0: the object is new. */
  readonly version: number;
  /** The edited fields. */
  readonly fields: Fields;
  /** Their values before the edit. `null`: unknown. */
  readonly base: Fields | null;
  /** Position among the edits of all objects. */
  readonly sequence: number;
  /** Whether the server may have it. It then never changes. */
  readonly isSent: boolean;
  /**
   * The edits that are joined in it, if there are several. If the server refuses it, each is pushed on its own. Of a
   * deletion: the edits that the user made before, which are not pushed.
   */
  readonly edits?: readonly Fields[] | undefined;
  /**
   * If the server refuses a change, its references follow in one of their own. `apart`: they already do. `link`: it
   * is the one that follows. `whole`: it was refused without them, too.
   */
  readonly references?: "apart" | "link" | "whole" | undefined;
  /** Set while it waits for a decision of the application. */
  readonly held?: HeldChange | undefined;
}

export interface HeldChange {
  /** `rejected`: the policy of the schema refuses conflicts; `takenBack`: a restore of the server has lost it. */
  readonly reason: "rejected" | "takenBack";
  /** The fields in conflict. */
  readonly fields: readonly string[];
}

/** An object on a device. */
export interface ObjectState {
  readonly className: string;
  readonly objectId: string | null;
  readonly storeTime: string | null;
  /** Version of the server's copy; 0 before the first acknowledgement. */
  readonly version: number;
  /** The server's copy. `null`: none. */
  readonly fields: Fields | null;
  /** The run of restarts in which the server named the object. */
  readonly generation: number;
  /** Fields that still have the value that this device wrote and the server acknowledged. */
  readonly own: readonly string[];
  /** Whether this device created it. */
  readonly isCreator: boolean;
  /** Whether this device deleted it, acknowledged by the server. */
  readonly isRemoved: boolean;
  /** In the order of the edits. */
  readonly pending: readonly PendingChange[];
}

export const newState = (className: string): ObjectState => ({
  className,
  objectId: null,
  storeTime: null,
  version: 0,
  fields: null,
  generation: 0,
  own: [],
  isCreator: false,
  isRemoved: false,
  pending: [],
});

/** The server's copy with the pending edits. `null` if there is no object for the user. */
export function viewOf({ version, fields, pending }: ObjectState): Fields | null {
  let view = fields;
  for (const change of pending) {
    if (change.op === "delete") view = null;
    // An update of an object that is gone shows nothing.
    else if (view !== null || (version === 0 && change.version === 0)) view = { ...view, ...change.fields };
  }
  return view;
}

/** A received object as the server's copy. Pending edits stay. */
export function withCopy(state: ObjectState, object: SyncObjectData, generation: number): ObjectState {
  const fields = fieldsOf(object);
  return {
    ...state,
    className: object["~ClassName"],
    objectId: object["~ObjectID"],
    storeTime: object["~StoreTime"],
    version: object["~Version"],
    fields,
    generation,
    own: state.own.filter((name) => sameValue(valueOf(state.fields, name), valueOf(fields, name))),
    isRemoved: false,
  };
}

/** The attributes of a received object. */
export function fieldsOf(object: SyncObjectData): Fields {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !name.startsWith("~")));
}

/** Own members only: names can be those of an inherited member. */
export function valueOf(fields: Fields | null, name: string): unknown {
  return fields !== null && Object.hasOwn(fields, name) ? fields[name] : null;
}

export function pick(fields: Fields | null, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, valueOf(fields, name)]));
}

/** Whether two JSON values are equal. The order of members does not matter. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, theirs] = [Object.entries(one), Object.entries(other)];
  return (
    mine.length === theirs.length &&
    mine.every(([name, value]) => Object.hasOwn(other, name) && sameValue(value, (other as Fields)[name]))
  );
}
