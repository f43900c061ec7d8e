import type { DatabaseConfiguration } from "../../configuration/index.ts";

/** Tells of every embedded database that is not there yet: creating it takes seconds in which nothing else happens. */
export async function announceCreation(
  databases: readonly Pick<DatabaseConfiguration, "storage">[],
  tell: (dataDir: string) => void,
): Promise<void> {
  const directories = new Set(databases.flatMap(({ storage }) => (storage?.engine === "embedded" ? [storage.dataDir] : [])));
  if (directories.size === 0) return;
  const { holdsDatabase } = await import("@sallyport/storage-pglite");
  for (const directory of directories) if (!(await holdsDatabase(directory))) tell(directory);
}
