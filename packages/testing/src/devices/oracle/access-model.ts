import type { ClassName, Permission, Reader } from "../scenario.ts";

/** Groups of users, and rights on classes, attributes and objects. */
export interface AccessState {
  /** The groups of each user. */
  readonly members: readonly ReadonlySet<number>[];
  /** Permissions of groups on classes. */
  readonly rights: ReadonlyMap<ClassName, ReadonlyMap<number, readonly Permission[]>>;
  /** Groups that can read an attribute; absent: all. */
  readonly attributes: ReadonlyMap<string, readonly number[]>;
  /** Readers of objects, by UUID; absent: all. */
  readonly readers: ReadonlyMap<string, readonly Reader[]>;
}

/** The states of access in order. A request can have met any state between its beginning and its end. */
export class AccessModel {
  private readonly states: AccessState[];
  private settled = 0;
  private backedUp: AccessState;
  private readonly created = new Map<string, { readonly className: ClassName; readonly since: number }>();

  constructor(initial: AccessState) {
    this.states = [initial];
    this.backedUp = initial;
  }

  get current(): AccessState {
    return this.states.at(-1) as AccessState;
  }

  /** The oldest state that a request beginning now can meet. */
  get oldest(): number {
    return this.settled;
  }

  /** Changes the state by an action, which returns whether it had an effect. */
  async change(next: AccessState, action: () => Promise<boolean>): Promise<void> {
    const before = this.current;
    this.states.push(next);
    const done = await action();
    if (!done) this.states.push(before);
    this.settled = this.states.length - 1;
  }

  backUp(): void {
    this.backedUp = this.current;
  }

  /** The state of the last copy; to be passed to `change`. */
  get copy(): AccessState {
    return this.backedUp;
  }

  /** Notes a created object. */
  add(uuid: string, className: ClassName): void {
    if (!this.created.has(uuid)) this.created.set(uuid, { className, since: this.settled });
  }

  classOf(uuid: string): ClassName | undefined {
    return this.created.get(uuid)?.className;
  }

  /** Whether the user can read the object with these attributes and reference targets, in one state since `from`. */
  couldRead(user: number, uuid: string, { from, attributes = [], targets = [] }: Reading): boolean {
    const object = this.created.get(uuid);
    if (object === undefined) return true;
    return this.states
      .slice(Math.max(from, object.since))
      .some(
        (state) =>
          this.reads(state, user, uuid) &&
          attributes.every((name) => isReadable(state, user, name)) &&
          targets.every((target) => this.reads(state, user, target)),
      );
  }

  /** Whether the user can read the object now. */
  reads(state: AccessState, user: number, uuid: string): boolean {
    const className = this.classOf(uuid);
    if (className === undefined) return true;
    const groups = state.members[user] ?? new Set<number>();
    const rights = state.rights.get(className) ?? new Map<number, readonly Permission[]>();
    if (![...groups].some((group) => rights.get(group)?.includes("read"))) return false;
    const readers = state.readers.get(uuid);
    return (
      readers === undefined ||
      readers.includes(`user ${user}`) ||
      [...groups].some((group) => readers.includes(`group ${group}`))
    );
  }
}

interface Reading {
  /** The oldest state to consider. */
  readonly from: number;
  readonly attributes?: readonly string[];
  readonly targets?: readonly string[];
}

export function isReadable({ attributes, members }: AccessState, user: number, attribute: string): boolean {
  const groups = attributes.get(attribute);
  return groups === undefined || groups.some((group) => members[user]?.has(group));
}
