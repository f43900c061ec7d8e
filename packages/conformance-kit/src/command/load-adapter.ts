import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { described } from "../assert/described.ts";
import { UsageError } from "./usage-error.ts";

/** Loads the adapter from a module's default export. Throws a `UsageError` if there is none. */
export async function loadAdapter(path: string): Promise<AdapterUnderTest> {
  const file = resolve(path);
  await access(file).catch((error: unknown) => {
    throw new UsageError(`The module ${file} does not exist.`, { cause: error });
  });
  const module = await load(file);
  const adapter = module["default"];
  if (adapter === undefined)
    throw new UsageError(`${file} has no default export. Export an AdapterUnderTest: export default { name, create }.`);
  if (!isAdapter(adapter)) {
    throw new UsageError(
      `The default export of ${file} is not an AdapterUnderTest. It requires a string name and a function create; concurrency, if set, must be a positive integer.`,
    );
  }
  return adapter;
}

async function load(file: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { readonly [name: string]: unknown };
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${described(error)}`, { cause: error });
  }
}

function isAdapter(value: unknown): value is AdapterUnderTest {
  if (typeof value !== "object" || value === null) return false;
  const { name, create, concurrency } = value as Partial<Record<keyof AdapterUnderTest, unknown>>;
  const isConcurrency = concurrency === undefined || (Number.isInteger(concurrency) && Number(concurrency) > 0);
  return typeof name === "string" && name !== "" && typeof create === "function" && isConcurrency;
}
