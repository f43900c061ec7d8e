import { objectNumber } from "../../entities/object-id.ts";
import type { StoredObject } from "../../entities/stored-object.ts";
import { ServiceError } from "../../errors/index.ts";
import type { Access } from "../../kernel/access.ts";
import type { Rows } from "../../kernel/rows.ts";
import type { AttributeIndex, IndexReport } from "../../ports/storage.ts";
import { currentNumber, setNumber } from "../numbers.ts";
import { indexKey, indexTable, objectTable, valueTable } from "../tables.ts";
import { valueRow } from "./value-indexes.ts";

/** Milliseconds after which another process takes over from one that has died. */
const lease = 60_000;

/** Objects or values of one transaction. */
const batch = 200;

/**
 * Builds the missing ones of the declared indexes and removes all others, some values at a time. From the moment at which an index is
 * recorded, each write of an object keeps its values.
 */
export async function alignIndexes(access: Access, declared: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
  const isFree = await access.write(async (rows) => {
    const [until, now] = [await currentNumber(rows, "aligning"), await rows.now()];
    if (until <= now) await setNumber(rows, "aligning", now + lease);
    return until <= now;
  });
  if (!isFree) return "busy";
  try {
    return await align(access, declared);
  } finally {
    // A storage that is closed leaves the rest, and the lease ends by itself.
    await access.write((rows) => setNumber(rows, "aligning", 0)).catch(() => {});
  }
}

async function align(access: Access, declared: readonly AttributeIndex[]): Promise<IndexReport> {
  const keyOf = (index: AttributeIndex) => JSON.stringify(indexKey(index));
  const present = await access.read((rows) => rows.list(indexTable, {}, Number.POSITIVE_INFINITY));
  const declaredKeys = new Set(declared.map(keyOf));
  const removed = present.filter((index) => !declaredKeys.has(keyOf(index)));
  await access.write((rows) => rows.delete(indexTable, ...removed.map(indexKey)));
  for (const index of removed) await removeValues(access, index);
  const ready = new Set(present.filter(({ isReady }) => isReady).map(keyOf));
  const built = declared.filter((index) => !ready.has(keyOf(index)));
  for (const index of built) await build(access, index);
  return { built, removed: removed.length };
}

async function build(access: Access, { className, attribute, type }: AttributeIndex): Promise<void> {
  const index = { className, attribute, type };
  // Values can be left of a build or a removal that ended early.
  await removeValues(access, index);
  await access.write((rows) => rows.put(indexTable, { ...index, isReady: false }));
  await inSteps(access, async (rows, last: StoredObject | undefined) => {
    if (!rows.storage.valueIndexes) return undefined;
    const after = last === undefined ? {} : { after: [objectNumber(last.id)] };
    const page = await rows.list(objectTable, { index: "byClass", of: [className], ...after }, batch);
    await rows.put(valueTable, ...page.map(({ object }) => valueRow(object, attribute)));
    return page.length < batch ? undefined : page.at(-1)?.object;
  });
  await access.write(async (rows) => {
    if ((await rows.get(indexTable, ...indexKey(index))) === undefined)
      throw new ServiceError(706, { detail: "Another process removed the index.", retryAfter: 1 });
    await rows.put(indexTable, { ...index, isReady: true });
  });
}

/** Removes the values of an index, unless another index of the attribute has them, too. */
async function removeValues(access: Access, { className, attribute }: AttributeIndex): Promise<void> {
  await inSteps(access, async (rows) => {
    const of = [className, attribute];
    if ((await rows.count(indexTable, { of }, 1)) > 0) return undefined;
    const left = await rows.list(valueTable, { of }, batch);
    await rows.delete(valueTable, ...left.map(valueTable.key));
    return left.length < batch ? undefined : left;
  });
}

/** Runs a step until it returns nothing, each in a transaction that renews the lease. */
async function inSteps<State>(
  access: Access,
  step: (rows: Rows, state: State | undefined) => Promise<State | undefined>,
): Promise<void> {
  let state: State | undefined;
  do {
    state = await access.write(async (rows) => {
      await setNumber(rows, "aligning", (await rows.now()) + lease);
      return step(rows, state);
    });
  } while (state !== undefined);
}
