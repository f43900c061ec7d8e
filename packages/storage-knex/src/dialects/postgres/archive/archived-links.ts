import { type ObjectId, objectIdOf, objectNumber } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedLinks({ links }: Tables): ArchivedTable<"links"> {
  return {
    rows: `(select source, count(*) as count, json_agg(json_build_array(attribute, target) order by attribute, target) as links from ${links} group by source)`,
    key: { column: "source", type: "bigint" },
    size: "40 * count",
    line: "json_build_array(source, links)::text",
    recordOf: (line) => {
      const [source, pairs] = JSON.parse(line) as [number, [string, number][]];
      return { section: "links", id: objectIdOf(source), links: grouped(pairs) };
    },
    insert: `insert into ${links} (source, attribute, target)
      select source, attribute, target from jsonb_to_recordset($1::jsonb) as l (source bigint, attribute text, target bigint)`,
    rowsOf: ({ id, links: linked }) =>
      Object.entries(linked)
        .flatMap(([attribute, targets]) =>
          targets.map((target) => ({ source: objectNumber(id), attribute, target: objectNumber(target) })),
        )
        .map((row) => JSON.stringify(row))
        .join(),
  };
}

function grouped(pairs: readonly (readonly [string, number])[]): Record<string, ObjectId[]> {
  const links = new Map<string, ObjectId[]>();
  for (const [attribute, target] of pairs) {
    const targets = links.get(attribute);
    if (targets === undefined) links.set(attribute, [objectIdOf(target)]);
    else targets.push(objectIdOf(target));
  }
  return Object.fromEntries(links);
}
