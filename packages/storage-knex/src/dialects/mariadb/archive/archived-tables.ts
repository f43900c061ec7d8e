import type { ArchiveSection } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { archivedAccounts, archivedKeys } from "./archived-accounts.ts";
import { archivedAudit, archivedTallies } from "./archived-audit.ts";
import { archivedIdentityLinks, archivedProviders } from "./archived-identities.ts";
import { archivedMacros } from "./archived-macros.ts";
import { archivedAppKeys, archivedApplications, archivedClasses } from "./archived-names.ts";
import { archivedCustomAccounts } from "./archived-custom-accounts.ts";
import { archivedDepartures, archivedLinks, archivedObjects } from "./archived-objects.ts";
import { archivedPasswordHistory } from "./archived-password-history.ts";
import { archivedSecondFactors } from "./archived-second-factors.ts";
import type { ArchivedTable } from "./archived-table.ts";

/** Every section but the settings. */
export type ArchivedTables = { readonly [Section in Exclude<ArchiveSection, "settings">]: ArchivedTable<Section> };

export function archivedTablesOf(tables: Tables): ArchivedTables {
  return {
    classes: archivedClasses(tables),
    macros: archivedMacros(tables),
    applications: archivedApplications(tables),
    appKeys: archivedAppKeys(tables),
    objects: archivedObjects(tables),
    links: archivedLinks(tables),
    departures: archivedDepartures(tables),
    accounts: archivedAccounts(tables),
    customAccounts: archivedCustomAccounts(tables),
    identityProviders: archivedProviders(tables),
    identityLinks: archivedIdentityLinks(tables),
    secondFactors: archivedSecondFactors(tables),
    passwordHistory: archivedPasswordHistory(tables),
    keys: archivedKeys(tables),
    audit: archivedAudit(tables),
    tallies: archivedTallies(tables),
  };
}
