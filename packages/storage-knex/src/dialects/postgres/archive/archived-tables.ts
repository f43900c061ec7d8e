import type { ArchiveSection } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";
import { archivedAccounts, archivedCustomAccounts } from "./archived-users.ts";
import { archivedRecords, archivedAppKeys } from "./archived-settings.ts";
import { archivedAudit, archivedTallies } from "./archived-audit.ts";
import { archivedClasses, archivedDepartures, archivedLinks, archivedObjects } from "./archived-objects.ts";

/** Sections that are tables; the settings are none. */
export type TableSection = Exclude<ArchiveSection, "settings">;

/** By section, in the order of the sections. */
export type ArchivedTables = { readonly [Section in TableSection]: ArchivedTable<Section> };

export function archivedTablesOf(tables: Tables): ArchivedTables {
  return {
    classes: archivedClasses(tables),
    appKeys: archivedAppKeys(tables),
    objects: archivedObjects(tables),
    links: archivedLinks(tables),
    departures: archivedDepartures(tables),
    accounts: archivedAccounts(tables),
    customAccounts: archivedCustomAccounts(tables),
    records: archivedRecords(tables),
    audit: archivedAudit(tables),
    tallies: archivedTallies(tables),
  };
}
