import { acceptStorable, type ClassDefinition } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedClasses({ classes }: Tables): ArchivedTable<"classes"> {
  return {
    select: `select definition from ${classes} order by position`,
    recordOf: ({ definition }) => ({ section: "classes", definition: definition as ClassDefinition }),
    table: classes,
    columns: ["name", "definition"],
    rowsOf: ({ definition }) => {
      acceptStorable(definition);
      return [[definition.name, JSON.stringify(definition)]];
    },
  };
}

export function archivedAppKeys({ appKeys }: Tables): ArchivedTable<"appKeys"> {
  return {
    select: `select id, name, enabled, app_names, origins, return_addresses, lower(hex(digest)) as digest from ${appKeys} order by name`,
    recordOf: ({ id, name, enabled, app_names: appNames, origins, return_addresses: returnAddresses, digest }) => ({
      section: "appKeys",
      id: id as string,
      name: name as string,
      enabled: enabled as boolean,
      appNames: appNames as string[] | null,
      origins: origins as string[],
      returnAddresses: returnAddresses as string[],
      digest: digest as string,
    }),
    table: appKeys,
    columns: ["id", "name", "digest", "enabled", "app_names", "origins", "return_addresses"],
    rowsOf: ({ id, name, digest, enabled, appNames, ...lists }) => {
      acceptStorable([id, name, appNames, lists.origins, lists.returnAddresses]);
      const [origins, returnAddresses] = [JSON.stringify(lists.origins), JSON.stringify(lists.returnAddresses)];
      return [
        [
          id,
          name,
          Buffer.from(digest, "hex"),
          enabled,
          appNames === null ? null : JSON.stringify(appNames),
          origins,
          returnAddresses,
        ],
      ];
    },
  };
}
