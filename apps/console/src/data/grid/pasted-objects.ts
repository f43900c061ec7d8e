import type { ClassStructure, Serialization } from "@sallyport/client";
import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../../connection/connection-context.tsx";
import { stepsOf, targetOf } from "../attribute-path.ts";
import { cellText, type ObjectRow } from "../cell-text.ts";
import { fieldsOf, type ValueColumn } from "../columns.ts";
import { inParallel } from "../in-parallel.ts";
import { objectIdOf, titlePathOf } from "../object-title.ts";
import { parseNumber } from "../exact-number.ts";
import { type CellChange, changeOf, type EmptyTexts, type PastedBlock } from "./pasted-block.ts";

/** Requests at a time. */
export const requestWidth = 4;

/** An object below a paste, as it is stored now with its version, or why it cannot be read. */
interface StoredObject {
  /** As the list shows it. */
  readonly listed: ObjectRow;
  readonly stored: ObjectRow | null;
  readonly error: unknown;
}

/** The objects below a paste, and what its texts can mean in references. */
export interface PastedObjects {
  readonly objects: readonly StoredObject[];
  /** Ids of at most two objects by column and text. */
  readonly meant: ReadonlyMap<string, readonly string[]>;
}

interface Classes {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
}

const meantKey = ({ name }: ValueColumn, text: string): string => JSON.stringify([name, text]);

/** Reads what a paste is for: each object by itself, since only this has a version to write over. */
export function usePastedObjects(block: PastedBlock, { structure, all }: Classes) {
  const connection = useConnection();
  const serialization: Serialization = { type: "custom", fields: fieldsOf(block.columns), json: "text" };
  const readStored = async (listed: ObjectRow, signal: AbortSignal): Promise<StoredObject> => {
    try {
      const stored = await connection.work((data) =>
        data.getObject<ObjectRow>(listed["~ObjectID"], { serialization, signal }),
      );
      return { listed, stored, error: null };
    } catch (error) {
      signal.throwIfAborted();
      return { listed, stored: null, error };
    }
  };
  /** Ids of the objects with the title or the id. */
  const findMeant = async (column: ValueColumn, text: string, signal: AbortSignal): Promise<readonly string[]> => {
    const target = targetOf(structure, column.name, all);
    const id = objectIdOf(text);
    const byId = id === null ? [] : [{ "~ObjectID": id }];
    // A class that the person cannot read.
    if (target === undefined) return id === null ? [] : [id];
    const title = titlePathOf(target, all);
    const type = title === null ? undefined : stepsOf(title, target, all).at(-1)?.column?.type;
    const number = type === "number" ? parseNumber(text) : null;
    const value = number === null ? text : "number" in number ? number.number : undefined;
    const conditions = [...(title === null || value === undefined ? [] : [{ [title]: value }]), ...byId];
    if (conditions.length === 0) return [];
    const found = await connection.work((data) =>
      data.listObjects<ObjectRow>(target.name, {
        query: { where: { $or: conditions } },
        perPage: 2,
        count: "none",
        serialization: { type: "custom", fields: [] },
        signal,
      }),
    );
    return found["~Elements"].map((row) => row["~ObjectID"]);
  };
  return useQuery({
    queryKey: ["pasted", block],
    queryFn: async ({ signal }): Promise<PastedObjects> => {
      const objects = await inParallel(block.rows, { width: requestWidth }, (row) => readStored(row, signal));
      const sought = new Map<string, readonly [ValueColumn, string]>();
      for (const [place, { stored }] of objects.entries())
        for (const [index, column] of block.columns.entries()) {
          const text = block.texts[place]?.[index] ?? "";
          if (column.type !== "reference" || text === "" || stored === null || text === cellText(stored, column))
            continue;
          sought.set(meantKey(column, text), [column, text]);
        }
      const found = await inParallel(
        [...sought],
        { width: requestWidth },
        async ([key, [column, text]]) => [key, await findMeant(column, text, signal)] as const,
      );
      return { objects, meant: new Map(found) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** An object with the cells that a paste changes or that take no text. */
export interface ObjectChange extends StoredObject {
  readonly cells: readonly CellChange[];
}

/** What a paste does. Objects whose cells all stay are left out. */
export function changesOf(
  { texts, columns }: PastedBlock,
  { objects, meant }: PastedObjects,
  emptyTexts: EmptyTexts,
): readonly ObjectChange[] {
  const changes = objects.map((object, place): ObjectChange => {
    const { stored } = object;
    const cells = (texts[place] ?? []).flatMap((text, index) => {
      const column = columns[index];
      if (column === undefined || stored === null) return [];
      const change = changeOf(stored, { column, text, emptyTexts, meant: meant.get(meantKey(column, text)) ?? [] });
      return change === null ? [] : [change];
    });
    return { ...object, cells };
  });
  return changes.filter(({ cells, error }) => cells.length > 0 || error !== null);
}

/** The members that a write of the object sends. */
export function membersOfChange({ cells }: ObjectChange): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    cells.flatMap(({ column, outcome }) => ("value" in outcome ? [[column.name, outcome.value]] : [])),
  );
}
