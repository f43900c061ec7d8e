import { parse, record, slicing } from "./primordials.ts";

/** The member names of one object, and of those that follow it with the same names. */
export interface Shape {
  /** Index of the first object that has it. */
  readonly from: number;
  /** Members that the answer contains. */
  readonly written: readonly string[];
  /** The other attributes. */
  readonly rest: readonly string[];
}

export interface PackedLayout {
  readonly shapes: readonly Shape[];
  /** Number of objects. */
  readonly count: number;
}

/** The values of objects in one text, object after object, each in the order of its names. */
export interface Page {
  readonly text: string;
  /** Where each value ends. Negative after a JSON value; the others are plain texts. */
  readonly ends: Int32Array;
}

/** The indexes of the values of members. */
type Indexes = Readonly<Record<string, number>>;

interface Names {
  readonly written: Indexes;
  /** Also those that are not in the answer. */
  readonly all: Indexes;
  readonly count: number;
}

interface Values {
  readonly ends: Int32Array;
  readonly cut: (from: number, to: number) => string;
}

/** One object of a page. Its values are read on demand. */
export class PackedObject {
  constructor(
    readonly names: Names,
    private readonly values: Values,
    private readonly first: number,
  ) {}

  /** Objects and arrays are made anew each time. */
  value(index: number): unknown {
    const { ends, cut } = this.values;
    const at = this.first + index;
    const end = ends[at] as number;
    const before = at === 0 ? 0 : (ends[at - 1] as number);
    const begin = before < 0 ? -before : before;
    return end < 0 ? parse(cut(begin, -end)) : cut(begin, end);
  }
}

export function unpack({ shapes, count }: PackedLayout, { text, ends }: Page): PackedObject[] {
  const values = { ends, cut: slicing(text) };
  const objects: PackedObject[] = [];
  let names = namesOf([], []);
  for (let index = 0, next = 0, first = 0; index < count; index += 1) {
    const shape = shapes[next];
    if (shape !== undefined && shape.from === index) {
      names = namesOf(shape.written, shape.rest);
      next += 1;
    }
    objects[index] = new PackedObject(names, values, first);
    first += names.count;
  }
  return objects;
}

function namesOf(written: readonly string[], rest: readonly string[]): Names {
  const names = { written: record<number>(), all: record<number>(), count: written.length + rest.length };
  for (let index = 0; index < rest.length; index += 1) names.all[rest[index] as string] = written.length + index;
  for (let index = 0; index < written.length; index += 1)
    names.written[written[index] as string] = names.all[written[index] as string] = index;
  return names;
}
