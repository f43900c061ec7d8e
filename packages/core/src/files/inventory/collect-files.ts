import { fileKind } from "../../objects/index.ts";
import type { AdministrationContext } from "../../request/index.ts";
import type { Repositories } from "@sallyport/storage";
import { countBytes, detach, detachedKind, removeDetached, removeSegments, segmentsFrom } from "../stored-files.ts";
import { type UnreferencedFile, unreferencedFiles } from "./unreferenced-files.ts";

/**
 * Milliseconds that bytes stay without an object, so that open downloads and dumps can read them, and requests in progress
 * can give them one.
 */
const day = 86_400_000;

export interface CollectOptions {
  /** Milliseconds that bytes stay without an object. Default: a day. Downloads and uploads in progress fail below it. */
  readonly minimumAge?: number;
  /** Only counts. Default: `false`. */
  readonly dryRun?: boolean;
}

export interface CollectedFiles {
  readonly removed: number;
  /** Unused files that are younger than the minimum. */
  readonly waiting: number;
  /** Files that the database does not know. They stay. */
  readonly unknown: number;
}

/** For the background: not audited. */
export async function collectFiles(
  context: Pick<AdministrationContext, "database" | "r" | "unit">,
  { minimumAge = day, dryRun = false }: CollectOptions = {},
): Promise<CollectedFiles> {
  const counts = { removed: 0, waiting: 0, unknown: 0 };
  for await (const file of unreferencedFiles(context)) {
    if (file.state === "unknown") counts.unknown += 1;
    else if (dryRun) counts[file.age >= minimumAge ? "removed" : "waiting"] += 1;
    else counts[(await collect(context, file, minimumAge)) ? "removed" : "waiting"] += 1;
  }
  return counts;
}

/** For a command: audited. */
export async function collectNow(context: AdministrationContext, options: CollectOptions): Promise<CollectedFiles> {
  const collected = await collectFiles(context, options);
  if (collected.removed > 0 && options.dryRun !== true)
    await context.r.audit.append(context.eventOf({ type: "files.collected" }));
  return collected;
}

/** Removes a file if it is old enough. Returns whether it did. */
async function collect(
  { database, r, unit }: Pick<AdministrationContext, "database" | "r" | "unit">,
  candidate: UnreferencedFile,
  minimumAge: number,
): Promise<boolean> {
  const { file } = candidate;
  let { version } = candidate;
  if (version === null) {
    // Not recorded yet: its age begins now.
    await detach(r.records, file);
    version = (await r.records.get(detachedKind, [file]))[0]?.version ?? null;
  }
  if (candidate.age < minimumAge || version === null) return false;
  // The records first: without its bytes, the file would not be found again.
  const claimed = version;
  if (!(await unit.transaction((inside) => forget(inside, file, claimed)))) return false;
  await removeDetached(database.files, r.records, file);
  return true;
}

/** `false`, without any change, if the file has got an object, or is still arriving. */
async function forget({ records }: Repositories, file: string, ifVersion: number): Promise<boolean> {
  if ((await records.put(detachedKind, file, "removed", { ifVersion })) !== "stored") return false;
  let bytes = 0;
  for await (const { length } of segmentsFrom(records, file)) bytes += length;
  await records.remove(fileKind, { ids: [file] });
  await removeSegments(records, file);
  await countBytes(records, file, -bytes);
  return true;
}
