import type {
  FoundRow,
  JsonValue,
  Kernel,
  KernelRange,
  KernelTransaction,
  Row,
  TableDeclaration,
} from "@sallyport/storage";
import { type Check, checksOf } from "../../check.ts";
import type { KernelOfSubject, Subject } from "../../subject.ts";
import { isTrue } from "../../assert/index.ts";

/** The table of most checks. */
export const rowTable: TableDeclaration = { name: "kitRows", indexes: ["first", "second"] };
/** A table with the same indexes. */
export const otherTable: TableDeclaration = { name: "kitOthers", indexes: ["first", "second"] };
/** The tables of the kit. */
export const kitTables: readonly TableDeclaration[] = [rowTable, otherTable];

/** A kernel under test, migrated with the tables of the kit. */
export interface KernelSubject extends KernelOfSubject, Pick<Subject, "advance" | "reads"> {}

/** Builds checks of kernels. */
export function kernelChecks(
  runs: { readonly [name: string]: (subject: KernelSubject) => Promise<unknown> },
  { needs = null, migrated = true }: { needs?: Check["needsOfKernel"]; migrated?: boolean } = {},
): readonly Check[] {
  const checks = Object.entries(runs).map(([name, run]): [string, Check["run"]] => [
    name,
    async ({ ofKernel, advance, reads }) => {
      isTrue(ofKernel !== null, "The adapter must give a kernel");
      if (migrated) await ofKernel.kernel.migrate(kitTables);
      await run({ ...ofKernel, advance, reads });
    },
  ]);
  return checksOf("kernel", Object.fromEntries(checks), { needs: "kernel", needsOfKernel: needs, migrated: false });
}

/** A row with a value and places in the first index. */
export function rowOf(key: string, value: JsonValue = { key }, ...first: readonly string[]): Row {
  return { key, value, places: { first, second: [] } };
}

/** Stores rows in a transaction of their own. */
export function put(kernel: Kernel, rows: readonly Row[], table = rowTable.name): Promise<void> {
  return kernel.transaction((transaction) => transaction.put(table, rows));
}

/** The rows of a range, by default all of them by key. */
export function rowsIn(
  kernel: Kernel,
  range: KernelRange = {},
  { table = rowTable.name, limit = 10_000, descending = false } = {},
): Promise<readonly FoundRow[]> {
  return kernel.read((reader) => reader.range(table, range, limit, descending));
}

/** The keys in a range, by default all of them in order. */
export async function keysIn(kernel: Kernel, range: KernelRange = {}, table = rowTable.name): Promise<string[]> {
  return (await rowsIn(kernel, range, { table })).map(({ key }) => key);
}

/** The number in the value of a row, 0 without the row. */
export async function numberAt(
  reader: Pick<KernelTransaction, "get">,
  key: string,
  table = rowTable.name,
): Promise<number> {
  const [row] = await reader.get(table, [key]);
  return row === undefined ? 0 : (row.value as { readonly number: number }).number;
}

/** A row with a number as its value. */
export function numberRow(key: string, number: number, ...first: readonly string[]): Row {
  return rowOf(key, { number }, ...first);
}

/** The range of all texts with this beginning. */
export function startingWith(beginning: string, index?: string): KernelRange {
  const range = { from: beginning, to: `${beginning}\u{10ffff}` };
  return index === undefined ? range : { index, ...range };
}

/** Passes turns of the event loop. */
export async function turns(number: number): Promise<void> {
  for (let turn = 0; turn < number; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
