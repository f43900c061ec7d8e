/** What became of the members of several objects, in flat lists: the engine writes JSON of many small objects slowly. */
export interface PackedChanges {
  /** By threes: which object, the name of a member, its value. */
  readonly set: readonly unknown[];
  /** By twos: which object, the name of a member. */
  readonly removed: readonly (number | string)[];
}

/** The changes of one object after the other. */
export class ChangeList {
  private index: number;
  private readonly members: unknown[];
  private readonly names: (number | string)[];

  constructor() {
    this.index = 0;
    this.members = [];
    this.names = [];
  }

  /** What comes now is of the next object. */
  next(): void {
    this.index += 1;
  }

  set(name: string, value: unknown): void {
    const { members } = this;
    const end = members.length;
    members[end] = this.index;
    members[end + 1] = name;
    members[end + 2] = value;
  }

  remove(name: string): void {
    const { names } = this;
    names[names.length] = this.index;
    names[names.length] = name;
  }

  packed(): PackedChanges {
    return { set: this.members, removed: this.names };
  }
}
