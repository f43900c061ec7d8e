import type { JsonObject } from "../network.ts";

/** A write that a server confirmed. */
export interface Write {
  readonly uuid: string;
  readonly version: number;
  /** Values by field; `null` for a deletion. */
  readonly fields: JsonObject | null;
  /** The device that wrote; `null` for the administrator. */
  readonly device: number | null;
  /** The change of a device. */
  readonly change?: {
    readonly assumedVersion: number;
    readonly fields: JsonObject;
    readonly base: JsonObject | null;
    /** Fields in conflict, as the server reported them. */
    readonly conflicts: readonly string[];
  };
}

/** The confirmed writes of each object, by version. */
export class History {
  private writes = new Map<string, Map<number, Write>>();
  private copy = new Map<string, Map<number, Write>>();
  /** Values of writes whose outcome is unknown. */
  private readonly uncertain: { readonly uuid: string; readonly fields: JsonObject | null }[] = [];

  add(write: Write): void {
    const writes = this.writes.get(write.uuid) ?? new Map<number, Write>();
    this.writes.set(write.uuid, writes);
    if (!writes.has(write.version)) writes.set(write.version, write);
  }

  addUncertain(uuid: string, fields: JsonObject | null): void {
    this.uncertain.push({ uuid, fields });
  }

  backUp(): void {
    this.copy = copyOf(this.writes);
  }

  /** Returns to the last copy. Returns the writes that were lost with it. */
  restore(): readonly Write[] {
    const lost = [...this.writes.values()].flatMap((versions) =>
      [...versions.values()].filter(({ uuid, version }) => !this.copy.get(uuid)?.has(version)),
    );
    this.writes = copyOf(this.copy);
    return lost;
  }

  /** Writes of an object, the oldest first. */
  of(uuid: string): readonly Write[] {
    return [...(this.writes.get(uuid)?.values() ?? [])].toSorted((one, other) => one.version - other.version);
  }

  objects(): readonly string[] {
    return [...this.writes.keys()];
  }

  /** Whether an object has writes with an unknown outcome. */
  hasUncertain(uuid: string): boolean {
    return this.uncertain.some((write) => write.uuid === uuid);
  }

  /** Fields of a write that another write had changed, without a report of the conflict. */
  unreportedConflicts({ uuid, version, change }: Write): readonly string[] {
    if (change === undefined || this.hasUncertain(uuid)) return [];
    const { assumedVersion, fields, base, conflicts } = change;
    const between = this.of(uuid).filter((write) => write.version > assumedVersion && write.version < version);
    return Object.keys(fields).filter((field) => {
      const other = between.findLast((write) => write.fields !== null && Object.hasOwn(write.fields, field));
      if (other === undefined || conflicts.includes(field)) return false;
      const theirs = other.fields?.[field];
      return !same(theirs, fields[field]) && (base === null || !same(theirs, base[field]));
    });
  }

  /** Whether a write with an unknown outcome gave the field this value, or deleted the object with `null` as field. */
  isUncertain(uuid: string, field: string | null, value?: unknown): boolean {
    return this.uncertain.some(
      (write) =>
        write.uuid === uuid &&
        (field === null
          ? write.fields === null
          : write.fields !== null && Object.hasOwn(write.fields, field) && same(write.fields[field], value)),
    );
  }
}

function copyOf(writes: ReadonlyMap<string, ReadonlyMap<number, Write>>): Map<string, Map<number, Write>> {
  return new Map(Array.from(writes, ([uuid, versions]) => [uuid, new Map(versions)]));
}

/** Compares two values of a field. Collections are sets, and an empty one equals no value. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
}

/** References as their UUIDs, collections in order of these; `null` for no value. */
export function canonical(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) {
    const members = value.map(canonical).filter((member) => member !== null);
    return members.length === 0 ? null : members.map(String).toSorted();
  }
  if (typeof value === "object" && "~UUID" in value) return value["~UUID"];
  return value;
}
