import type { ObjectCount, ObjectQuery } from "@sallyport/client";
import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import { listKey, type useObjectRows } from "./object-rows.ts";

/** Milliseconds that the server may count. */
const countTime = 300;
/** Milliseconds for which a count is good. */
const lifetime = 60_000;

interface CountRequest {
  readonly className: string;
  readonly query: ObjectQuery;
  /** Whether the person wants counts. */
  readonly isWanted: boolean;
  readonly list: Pick<ReturnType<typeof useObjectRows>, "loaded" | "first" | "hasNextPage" | "isPlaceholderData">;
}

/** The number of objects of a list, asked for once its rows are there. A complete list tells it. `undefined` if it is unknown. */
export function useObjectCount({ className, query, isWanted, list }: CountRequest): ObjectCount | undefined {
  const connection = useConnection();
  const { loaded, first, hasNextPage, isPlaceholderData } = list;
  const isComplete = first !== undefined && !hasNextPage;
  const { where } = query;
  const { data } = useQuery({
    queryKey: [...listKey(className), "count", where],
    queryFn: ({ signal }) =>
      connection.work((client) => client.countWithin(className, { query: { where }, limit: countTime, signal })),
    enabled: isWanted && first !== undefined && !isComplete && !isPlaceholderData,
    staleTime: lifetime,
    gcTime: lifetime,
  });
  if (!isWanted || isPlaceholderData) return undefined;
  if (isComplete) return { count: loaded.length, capped: false };
  return data?.capped === true ? { count: Math.max(data.count, loaded.length), capped: true } : data;
}
