import type { ArchiveSection } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { archivedAccounts } from "./archived-accounts.ts";
import { archivedAudit, archivedTallies } from "./archived-audit.ts";
import { archivedAppKeys, archivedClasses } from "./archived-names.ts";
import { archivedCustomAccounts } from "./archived-custom-accounts.ts";
import { archivedDepartures, archivedLinks, archivedObjects } from "./archived-objects.ts";
import { archivedRecords } from "./archived-records.ts";
import type { ArchivedTable } from "./archived-table.ts";

/** Every section but the settings. */
export type ArchivedTables = { readonly [Section in Exclude<ArchiveSection, "settings">]: ArchivedTable<Section> };

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
