import type { DatabaseConfiguration } from "../../configuration/index.ts";

/** The data directories in which opening would create a database, which takes seconds. */
export async function directoriesWithoutDatabase(
  databases: readonly Pick<DatabaseConfiguration, "storage">[],
): Promise<string[]> {
  const directories = new Set(
    databases.flatMap(({ storage }) => (storage?.engine === "embedded" ? [storage.dataDir] : [])),
  );
  if (directories.size === 0) return [];
  const { holdsDatabase } = await import("@sallyport/storage-pglite");
  const missing: string[] = [];
  for (const directory of directories) if (!(await holdsDatabase(directory))) missing.push(directory);
  return missing;
}
