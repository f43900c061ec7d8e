import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type AttributeIndex,
  beforeAllChanges,
  type Digest,
  type NewObject,
  type ObjectQuery,
  type Position,
  type Repositories,
  seesAll,
  type Storage,
  type ValuePath,
} from "@sallyport/storage";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { minute } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";
import { openUnderTest } from "../open-under-test.ts";

/** Green: the size of the database hardly matters. Yellow: it matters. Red: the work grows with it. */
export type Light = "green" | "yellow" | "red";

/** The time of an operation in a large database, as a multiple of that in a small one. */
export interface Speed {
  readonly operation: string;
  /** Microseconds, the median. */
  readonly small: number;
  readonly large: number;
  readonly ratio: number;
  readonly light: Light;
}

export interface SpeedOptions {
  /** Objects and sessions of the large database. Default: 100,000. */
  readonly size?: number;
  /** Calls of an operation. Default: 200. */
  readonly calls?: number;
  /** Called with what is done next. */
  readonly onProgress?: (what: string) => void;
}

/** Objects and sessions of the small database. */
const few = 1_000;

/** Objects of one call, and sessions of one transaction. */
const batch = 500;

/** Measures an adapter: each operation in a small and a large database, which it fills. */
export async function measureSpeed(
  adapter: AdapterUnderTest,
  { size = 100_000, calls = 200, onProgress = () => {} }: SpeedOptions = {},
): Promise<Speed[]> {
  const small = await times(adapter, few, calls, onProgress);
  const large = await times(adapter, size, calls, onProgress);
  return Array.from(small, ([operation, time]) => {
    const other = large.get(operation) ?? Number.NaN;
    const ratio = other / time;
    return { operation, small: time, large: other, ratio, light: lightOf(ratio) };
  });
}

export function lightOf(ratio: number): Light {
  if (ratio <= 2) return "green";
  return ratio <= 10 ? "yellow" : "red";
}

/** The worst light. */
export function worstOf(speeds: readonly Pick<Speed, "light">[]): Light {
  const lights = speeds.map(({ light }) => light);
  if (lights.includes("red")) return "red";
  return lights.includes("yellow") ? "yellow" : "green";
}

/** The median times of all operations in a database of this size, in microseconds. */
async function times(
  adapter: AdapterUnderTest,
  size: number,
  calls: number,
  onProgress: (what: string) => void,
): Promise<Map<string, number>> {
  const { underTest } = await openUnderTest(adapter, { clockOffset: () => 0, migrated: true });
  const { storage, destroy } = underTest;
  try {
    await storage.migrate();
    onProgress(`fills a database with ${size.toLocaleString("en")} objects and sessions`);
    const operations = await fill(storage, size);
    const measured = new Map<string, number>();
    for (const [operation, call] of operations) {
      onProgress(`measures ${operation}`);
      measured.set(operation, await median(call, calls));
    }
    return measured;
  } finally {
    await destroy();
  }
}

async function median(call: (index: number) => Promise<unknown>, calls: number): Promise<number> {
  const taken: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    // An engine in the process leaves no turn to timers.
    await nextTurn();
    const start = performance.now();
    await call(index);
    taken.push(1_000 * (performance.now() - start));
  }
  return taken.toSorted((one, other) => one - other)[calls >> 1] ?? Number.NaN;
}

const name: ValuePath = { hops: [], leaf: "Name", type: "string", indexed: true };
const nameIndex: AttributeIndex = { className: "File", attribute: "Name", type: "string" };
const byName: ObjectQuery = { classes: ["File"], sort: [{ path: name, descending: false }] };

/** Names whose order is not that of the objects. */
const nameOf = (index: number, size: number) => `n${String((index * 7_919) % size).padStart(9, "0")}`;

/** Fills a database, and returns the operations to measure. */
async function fill(storage: Storage, size: number): Promise<Map<string, (index: number) => Promise<unknown>>> {
  const { repositories: r } = storage;
  const visitor = await Visitor.create(r);
  const quiet = await r.objects.insert([{ className: "Image", attributes: { Name: "quiet" } }]);
  await storage.alignIndexes([nameIndex]);
  for (let first = 0; first < size; first += batch) {
    const count = Math.min(batch, size - first);
    await nextTurn();
    await r.objects.insert(Array.from({ length: count }, (_, index) => fileOf(nameOf(first + index, size))));
  }
  const digests = await openSessions(storage, visitor, size);
  const deep = await positionAt(r, Math.floor(size * 0.9));
  const upTo = await r.objects.watermark();
  const changes = { classes: ["Image"], after: beforeAllChanges, upTo, limit: 100 };
  return new Map<string, (index: number) => Promise<unknown>>([
    [
      "find by an indexed value",
      (index) => {
        const filter = { kind: "oneOf", path: name, values: [nameOf((index * 31) % size, size)] } as const;
        return r.objects.find({ classes: ["File"], filter }, seesAll, { offset: 0, limit: 10 });
      },
    ],
    ["a deep page by position", () => r.objects.find(byName, seesAll, { after: deep, limit: 20 })],
    ["the first page in order", () => r.objects.find(byName, seesAll, { offset: 0, limit: 20 })],
    ["one object by id", () => r.objects.get([quiet[0]?.id ?? "1"], seesAll)],
    ["changes of a quiet class", () => r.objects.changes(changes)],
    // With a shorter idle time than that of the opening no extension is due, which would be a write.
    ["the admission of a request", (index) => visitor.admit(r, digests[(index * 31) % size] ?? null, minute)],
  ]);
}

const fileOf = (text: string): NewObject => ({ className: "File", attributes: { Name: text, Size: text.length } });

async function openSessions(storage: Storage, visitor: Visitor, size: number): Promise<Digest[]> {
  const digests: Digest[] = [];
  for (let first = 0; first < size; first += batch)
    await storage.transaction(async (r) => {
      const opened: Digest[] = [];
      for (let count = Math.min(batch, size - first); count > 0; count -= 1) opened.push(await visitor.open(r));
      digests.splice(first, batch, ...opened);
    });
  return digests;
}

/** The position behind a number of objects in the order of names, page by page. */
async function positionAt(r: Repositories, skipped: number): Promise<Position> {
  const value = `n${String(skipped).padStart(9, "0")}`;
  const filter = { kind: "oneOf", path: name, values: [value] } as const;
  const { last } = await r.objects.find({ ...byName, filter }, seesAll, { offset: 0, limit: 1 });
  return last ?? { values: [value], id: "1" };
}
