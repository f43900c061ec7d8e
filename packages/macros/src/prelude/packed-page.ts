import { parse, record, slicing } from "./primordials.ts";

/** Objects with the same member names that follow each other. */
export interface Shape {
  /** How many there are. */
  count: number;
  /** Members that the answer contains. */
  readonly written: readonly string[];
  /** The other attributes. */
  readonly rest: readonly string[];
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

export function unpack(shapes: readonly Shape[], { text, ends }: Page): PackedObject[] {
  const values = { ends, cut: slicing(text) };
  const objects: PackedObject[] = [];
  for (let at = 0, first = 0; at < shapes.length; at += 1) {
    const { count, written, rest } = shapes[at] as Shape;
    const names = namesOf(written, rest);
    for (let index = 0; index < count; index += 1) {
      objects[objects.length] = new PackedObject(names, values, first);
      first += written.length + rest.length;
    }
  }
  return objects;
}

function namesOf(written: readonly string[], rest: readonly string[]): Names {
  const names = { written: record<number>(), all: record<number>() };
  for (let index = 0; index < rest.length; index += 1) names.all[rest[index] as string] = written.length + index;
  for (let index = 0; index < written.length; index += 1)
    names.written[written[index] as string] = names.all[written[index] as string] = index;
  return names;
}
