import type { ArchiveSection } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";
import { archivedAccounts } from "./archived-accounts.ts";
import { archivedAppKeys } from "./archived-app-keys.ts";
import { archivedApplications } from "./archived-applications.ts";
import { archivedAudit } from "./archived-audit.ts";
import { archivedClasses } from "./archived-classes.ts";
import { archivedCustomAccounts } from "./archived-custom-accounts.ts";
import { archivedDepartures } from "./archived-departures.ts";
import { archivedIdentityLinks, archivedProviders } from "./archived-identities.ts";
import { archivedKeys } from "./archived-keys.ts";
import { archivedLinks } from "./archived-links.ts";
import { archivedMacros } from "./archived-macros.ts";
import { archivedObjects } from "./archived-objects.ts";
import { archivedPasswordHistory } from "./archived-password-history.ts";
import { archivedSecondFactors } from "./archived-second-factors.ts";
import { archivedTallies } from "./archived-tallies.ts";

/** Sections that are tables; the settings are none. */
export type TableSection = Exclude<ArchiveSection, "settings">;

/** By section, in the order of the sections. */
export type ArchivedTables = { readonly [Section in TableSection]: ArchivedTable<Section> };

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
