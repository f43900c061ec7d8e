import type { ObjectQuery, Serialization, UncountedPage } from "@sallyport/client";
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import type { ObjectRow } from "./cell-text.ts";
import { fieldsOf, type ValueColumn } from "./columns.ts";
import { listedCharacters } from "./cut-text.ts";

/** Rows of a request. */
const pageSize = 100;
/** Ids that one query can name. */
const maxIds = 1_000;
/** Rows with whole values of a request: an object has at most 1 MiB, and an answer 16 MiB. */
const wholeRows = 15;

/** Key of all lists of a class. */
export const listKey = (className: string): readonly string[] => ["objects", className, "list"];

interface RowsRequest {
  readonly className: string;
  readonly query: ObjectQuery;
  readonly columns: readonly ValueColumn[];
}

type Page = Omit<UncountedPage, "~Elements"> & { readonly "~Elements": readonly ObjectRow[] };

/** What a refresh has found: new states of rows by id, `null` for those that no longer match. */
type Refreshed = ReadonlyMap<string, ObjectRow | null>;

const noneRefreshed: Refreshed = new Map();

/** Rows of a class with the beginnings of long texts, loaded page by page with cursors. Rows that are there keep their places until the list is loaded anew. */
export function useObjectRows({ className, query, columns }: RowsRequest) {
  const connection = useConnection();
  const queries = useQueryClient();
  const form = useMemo((): Serialization => ({ type: "custom", fields: fieldsOf(columns), json: "text" }), [columns]);
  const queryKey = useMemo(() => [...listKey(className), query, form], [className, query, form]);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: cursor, signal }) =>
      connection.work((data) =>
        data.listObjects<ObjectRow>(className, {
          query,
          cursor,
          signal,
          perPage: pageSize,
          count: "none",
          serialization: { ...form, cut: listedCharacters },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page["~Cursor"],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const { data } = list;
  const [refreshed, setRefreshed] = useState(noneRefreshed);
  useEffect(() => setRefreshed(noneRefreshed), [data]);
  const loaded = useMemo(() => data?.pages.flatMap((page) => page["~Elements"]) ?? [], [data]);

  const refresh = useCallback(
    async (from: number) => {
      const start = Math.max(0, Math.min(from, loaded.length) - maxIds / 2);
      const watched = loaded.slice(start, start + maxIds);
      const found = await connection.work((client) =>
        client.listObjects<ObjectRow>(className, {
          query: { where: query.where, oids: watched.map((row) => row["~ObjectID"]) },
          perPage: maxIds,
          count: "none",
          serialization: { ...form, cut: listedCharacters },
        }),
      );
      const states = new Map(found["~Elements"].map((row) => [row["~ObjectID"], row]));
      const differing = watched.filter((row) => JSON.stringify(row) !== JSON.stringify(states.get(row["~ObjectID"])));
      setRefreshed(new Map(differing.map((row) => [row["~ObjectID"], states.get(row["~ObjectID"]) ?? null])));
      return differing.length;
    },
    [className, connection, form, loaded, query],
  );

  const readWhole = useCallback(
    async (rows: readonly ObjectRow[]) => {
      const whole = new Map<string, ObjectRow>();
      for (let start = 0; start < rows.length; start += wholeRows) {
        const oids = rows.slice(start, start + wholeRows).map((row) => row["~ObjectID"]);
        const page = await connection.work((client) =>
          client.listObjects<ObjectRow>(className, {
            query: { oids },
            perPage: wholeRows,
            count: "none",
            serialization: form,
          }),
        );
        for (const row of page["~Elements"]) whole.set(row["~ObjectID"], row);
      }
      return rows.map((row) => whole.get(row["~ObjectID"]) ?? row);
    },
    [className, connection, form],
  );
  /** Changes an object over its version, and returns it as this list shows it. */
  const write = useCallback(
    (stored: ObjectRow, members: Readonly<Record<string, unknown>>) =>
      connection.work((client) =>
        client.updateObject<ObjectRow>(stored["~ObjectID"], members, {
          ifMatch: stored,
          serialization: { ...form, cut: listedCharacters },
        }),
      ),
    [connection, form],
  );

  /** Shows the rows in their places, until the list is loaded anew. */
  const take = useCallback(
    (rows: readonly ObjectRow[]) => {
      const states = new Map(rows.map((row) => [row["~ObjectID"], row]));
      const renewed = (page: Page): Page => ({
        ...page,
        "~Elements": page["~Elements"].map((row) => states.get(row["~ObjectID"]) ?? row),
      });
      queries.setQueryData<InfiniteData<Page>>(queryKey, (shown) =>
        shown === undefined ? shown : { ...shown, pages: shown.pages.map(renewed) },
      );
    },
    [queries, queryKey],
  );
  return { ...list, write, take, loaded, refreshed, refresh, readWhole, first: data?.pages[0] };
}
