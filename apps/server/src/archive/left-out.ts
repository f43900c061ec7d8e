import type { ArchiveRecord, ArchiveSection } from "@sallyport/core";

/** What can be left out of an archive, by sections. */
const sectionsOf = {
  credentials: ["accounts", "appKeys", "customAccounts", "identityProviders", "identityLinks", "secondFactors", "passwordHistory"],
  keys: ["keys"],
} as const satisfies { readonly [what: string]: readonly ArchiveSection[] };

export type LeftOut = keyof typeof sectionsOf;

/** The records without those that are left out. */
export async function* withoutSecrets(records: AsyncIterable<ArchiveRecord>, leftOut: readonly LeftOut[]): AsyncGenerator<ArchiveRecord> {
  const sections = new Set<ArchiveSection>(leftOut.flatMap((what) => sectionsOf[what]));
  for await (const record of records) if (!sections.has(record.section)) yield record;
}
