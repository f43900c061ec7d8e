import type { ClassDefinition } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedClasses({ classes }: Tables): ArchivedTable<"classes"> {
  return {
    rows: classes,
    key: { column: "position", type: "bigint" },
    size: "octet_length(definition::text)",
    line: "definition::text",
    recordOf: (line) => ({ section: "classes", definition: JSON.parse(line) as ClassDefinition }),
    // Built-in classes are there already.
    insert: `insert into ${classes} (name, definition)
      select definition ->> 'name', definition from jsonb_array_elements($1::jsonb) with ordinality as list (definition, place) order by place`,
    rowsOf: ({ definition }) => JSON.stringify(definition),
  };
}
