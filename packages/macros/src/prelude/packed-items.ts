import { parse, slice } from "./primordials.ts";

/** The names of the members of an object, and of those that follow it as long as theirs are the same. */
export interface Shape {
  /** The first object that has it. */
  readonly from: number;
  /** Those that are written. */
  readonly written: readonly string[];
  /** The others. */
  readonly rest: readonly string[];
}

/** How the values of objects stand in one text: one after the other, those of each object in the order of its names. */
export interface PackedLayout {
  readonly shapes: readonly Shape[];
  /** For each object where its values end. Negative after a value that stands there as JSON; the others are texts as they are. */
  readonly places: readonly (readonly number[])[];
}

export interface PackedItems extends PackedLayout {
  readonly text: string;
}

const { create } = Object;

/** A shape, made ready to be asked for names. */
export interface Names {
  /** Which value is that of a name. */
  readonly places: Readonly<Record<string, number>>;
  readonly written: readonly string[];
  readonly rest: readonly string[];
}

/** One object of those that were packed. Nothing of it is read before it is asked for. */
export class PackedObject {
  readonly names: Names;
  private readonly text: string;
  private readonly start: number;
  private readonly ends: readonly number[];

  constructor(names: Names, text: string, start: number, ends: readonly number[]) {
    this.names = names;
    this.text = text;
    this.start = start;
    this.ends = ends;
  }

  /** Where the value of a member stands, of those that are not written as well; `undefined` for a member that there is not. */
  place(name: string): number | undefined {
    return this.names.places[name];
  }

  isWritten(place: number): boolean {
    return place < this.names.written.length;
  }

  /** A new value each time, if it is one that can change inside. */
  value(place: number): unknown {
    const end = this.ends[place] as number;
    const before = place === 0 ? this.start : (this.ends[place - 1] as number);
    const begin = before < 0 ? -before : before;
    return end < 0 ? parse(slice(this.text, begin, -end)) : slice(this.text, begin, end);
  }
}

/** Unpacks objects, in their order. */
export function unpack({ shapes, places }: PackedLayout, text: string): PackedObject[] {
  const objects: PackedObject[] = [];
  let names: Names = namesOf({ written: [], rest: [] });
  let start = 0;
  for (let index = 0, next = 0; index < places.length; index += 1) {
    const shape = shapes[next];
    if (shape !== undefined && shape.from === index) {
      names = namesOf(shape);
      next += 1;
    }
    const ends = places[index] as readonly number[];
    objects[index] = new PackedObject(names, text, start, ends);
    const last = ends.length === 0 ? start : (ends[ends.length - 1] as number);
    start = last < 0 ? -last : last;
  }
  return objects;
}

function namesOf({ written, rest }: Omit<Shape, "from">): Names {
  const places = create(null) as Record<string, number>;
  for (let index = 0; index < written.length; index += 1) places[written[index] as string] = index;
  for (let index = 0; index < rest.length; index += 1) places[rest[index] as string] = written.length + index;
  return { places, written, rest };
}
