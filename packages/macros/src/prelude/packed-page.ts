import { parse, record, slicing } from "./primordials.ts";

/** Consecutive objects with the same member names. */
export interface Shape {
  /** Number of objects. */
  count: number;
  /** Members of the response. */
  readonly written: readonly string[];
  /** The remaining attributes. */
  readonly rest: readonly string[];
}

/** The values of a page in one string: object by object, each in the order of its names. */
export interface Page {
  readonly text: string;
  /** The end of each value in `text`. Negative for JSON, positive for a plain string. */
  readonly ends: Int32Array;
}

/** Index of the value by member name. */
type Indexes = Readonly<Record<string, number>>;

interface Names {
  readonly written: Indexes;
  /** Also the attributes that are not in the response. */
  readonly all: Indexes;
}

interface Values {
  readonly ends: Int32Array;
  readonly cut: (from: number, to: number) => string;
}

/** One object of a page. Its values are decoded on demand. */
export class PackedObject {
  constructor(
    readonly names: Names,
    private readonly values: Values,
    private readonly first: number,
  ) {}

  /** Every call creates a new object or array. */
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
