import type { ArchivePart, ArchiveSection } from "@sallyport/core";

/** What can be left out of an archive, by sections. */
const sectionsOf = {
  credentials: [
    "accounts",
    "appKeys",
    "customAccounts",
    "identityProviders",
    "identityLinks",
    "secondFactors",
    "passwordHistory",
  ],
  keys: ["keys"],
} as const satisfies { readonly [what: string]: readonly ArchiveSection[] };

export type LeftOut = keyof typeof sectionsOf;

/** The parts without those that are left out. */
export async function* withoutSecrets(
  parts: AsyncIterable<ArchivePart>,
  leftOut: readonly LeftOut[],
): AsyncGenerator<ArchivePart> {
  const sections = new Set<ArchiveSection>(leftOut.flatMap((what) => sectionsOf[what]));
  for await (const part of parts) if (!part.some(({ section }) => sections.has(section))) yield part;
}
