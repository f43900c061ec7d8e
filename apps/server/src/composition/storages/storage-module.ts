import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import type { OpenStorage, Storage } from "@sallyport/core";
import type { ModuleStorage } from "../../configuration/index.ts";
import { StartError } from "../start-error.ts";

/** What shows that somebody has meant to make a storage. */
const members = [
  "capabilities",
  "repositories",
  "archive",
  "transaction",
  "together",
  "migrate",
  "health",
  "now",
  "close",
] as const;

/** A storage that an adapter from outside opens. Throws a `StartError` that names the module and tells what is wrong with it. */
export async function openModule({ module, options }: ModuleStorage): Promise<Storage> {
  const refused = (reason: string, cause?: unknown) =>
    new StartError(`The storage module ${module} ${reason}`, { cause });
  const exported = await load(module).catch((error: unknown) => {
    throw refused(`cannot be loaded: ${firstLine(error)}`, error);
  });
  const open = exported["openStorage"];
  if (typeof open !== "function") throw refused("exports no function openStorage.");
  let storage: unknown;
  try {
    storage = await (open as OpenStorage)(options);
  } catch (error) {
    throw refused(`opened no storage: ${firstLine(error)}`, error);
  }
  const missing = members.filter(
    (name) => (storage as { readonly [name: string]: unknown } | null | undefined)?.[name] === undefined,
  );
  if (missing.length > 0)
    throw refused(
      `opened something that is no storage: ${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing.`,
    );
  return storage as Storage;
}

async function load(module: string): Promise<Readonly<Record<string, unknown>>> {
  // As if it were imported where the server is started: its own dependencies are somewhere else.
  const file = isAbsolute(module) ? module : createRequire(join(process.cwd(), "server.js")).resolve(module);
  return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
}

function firstLine(error: unknown): string {
  return (types.isNativeError(error) ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
