import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useConnection } from "../connection/connection-context.tsx";

/** Key of the lists of the recycle bin. */
export const recycleBinKey: readonly string[] = ["recycle-bin"];

/** Restores objects, each with all objects of its deletion. Returns the refusals by id. */
export function useRestoring() {
  const connection = useConnection();
  const queries = useQueryClient();
  return useCallback(
    async (ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> => {
      const refusals = new Map<string, unknown>();
      // One after the other: an object of one deletion can be the target of another one.
      for (const id of ids)
        await connection.work((data) => data.restoreObject(id)).catch((error: unknown) => refusals.set(id, error));
      // A deletion can have taken along objects of any class. Open lists move no rows until they are loaded anew.
      await queries.invalidateQueries({
        predicate: ({ queryKey: [kind, , part] }) => kind === "objects" && part === "list",
        refetchType: "none",
      });
      await queries.invalidateQueries({ queryKey: recycleBinKey });
      return refusals;
    },
    [connection, queries],
  );
}
