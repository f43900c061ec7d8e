import { parse, slicing } from "./primordials.ts";

/** The names of the members of an object, and of those that follow it as long as theirs are the same. */
export interface Shape {
  /** The first object that has it. */
  readonly from: number;
  /** Those that are written. */
  readonly written: readonly string[];
  /** The others. */
  readonly rest: readonly string[];
}

export interface PackedLayout {
  readonly shapes: readonly Shape[];
  /** How many objects there are. */
  readonly count: number;
}

/** The values of objects in one text: one after the other, those of each object in the order of its names. */
export interface Page {
  readonly text: string;
  /** Where each value ends. Negative after one that stands there as JSON; the others are texts as they are. */
  readonly ends: Int32Array;
}

const { create } = Object;

/** A shape, made ready to be asked for names. */
export interface Names {
  /** Which value is that of a name: first those that are written. */
  readonly places: Readonly<Record<string, number>>;
  readonly written: readonly string[];
  readonly rest: readonly string[];
  /** How many are written. */
  readonly count: number;
}

/** The values of a page, made ready to be read. */
interface Values {
  readonly ends: Int32Array;
  readonly cut: (from: number, to: number) => string;
}

/** One object of those that were packed. Nothing of it is read before it is asked for. */
export class PackedObject {
  readonly names: Names;
  private readonly values: Values;
  /** Which value of the page is its first. */
  private readonly first: number;

  constructor(names: Names, values: Values, first: number) {
    this.names = names;
    this.values = values;
    this.first = first;
  }

  /** A new value each time, if it is one that can change inside. */
  value(place: number): unknown {
    const { ends, cut } = this.values;
    const index = this.first + place;
    const end = ends[index] as number;
    const before = index === 0 ? 0 : (ends[index - 1] as number);
    const begin = before < 0 ? -before : before;
    return end < 0 ? parse(cut(begin, -end)) : cut(begin, end);
  }
}

/** Unpacks objects, in their order. */
export function unpack({ shapes, count }: PackedLayout, { text, ends }: Page): PackedObject[] {
  const values = { ends, cut: slicing(text) };
  const objects: PackedObject[] = [];
  let names: Names = namesOf({ written: [], rest: [] });
  for (let index = 0, next = 0, first = 0; index < count; index += 1) {
    const shape = shapes[next];
    if (shape !== undefined && shape.from === index) {
      names = namesOf(shape);
      next += 1;
    }
    objects[index] = new PackedObject(names, values, first);
    first += names.count + names.rest.length;
  }
  return objects;
}

function namesOf({ written, rest }: Omit<Shape, "from">): Names {
  const places = create(null) as Record<string, number>;
  for (let index = 0; index < written.length; index += 1) places[written[index] as string] = index;
  for (let index = 0; index < rest.length; index += 1) places[rest[index] as string] = written.length + index;
  return { places, written, rest, count: written.length };
}
