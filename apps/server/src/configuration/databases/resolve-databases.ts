import { resolve } from "node:path";
import { policyOf } from "./policy-of.ts";
import { type Contradiction } from "../checks/contradiction.ts";
import { sessionContradictions, throttleContradictions } from "../checks/policy-contradictions.ts";
import type { DatabaseConfiguration } from "../configuration.ts";
import { databaseSection } from "../schema/database-section.ts";
import type { ConfigurationDocument } from "../schema/configuration-schema.ts";
import { sharingContradictions } from "./sharing-contradictions.ts";
import { isOnServer, storageOf } from "./storage-of.ts";

export interface ResolvedDatabases {
  readonly databases: readonly DatabaseConfiguration[];
  readonly contradictions: readonly Contradiction[];
}

/** Fills in what is common to all databases and finds what does not go together. `raw` is the document as given. */
export function resolveDatabases(document: ConfigurationDocument, raw: unknown): ResolvedDatabases {
  const implicit = document.databases === undefined && document.databaseUrl !== undefined;
  const listed = implicit ? [databaseSection.parse({ storage: {} })] : (document.databases ?? []);
  const contradictions: Contradiction[] = [];
  if (listed.length === 0) {
    contradictions.push({ path: "databases", reason: "is required: name at least one database, or set DATABASE_URL" });
  }

  const databases = listed.map((database, index): DatabaseConfiguration => {
    const { alias, name, timeZone, clientHash } = database;
    const at = `databases[${index}]`;
    const policy = policyOf(database, document);
    if (database.sessions !== undefined) {
      contradictions.push(...sessionContradictions(policy.sessions, `${at}.sessions`, "sessions"));
    }
    for (const whom of ["user", "address"] as const) {
      if (database.throttle?.[whom] === undefined) continue;
      contradictions.push(
        ...throttleContradictions(policy.throttle[whom], `${at}.throttle.${whom}`, `throttle.${whom}`),
      );
    }
    const place = { alias, document, path: `${at}.storage`, given: givenMembers(raw, index) };
    const resolved = database.storage === undefined ? null : storageOf(database.storage, place);
    if (resolved !== null) contradictions.push(...resolved.contradictions);
    return {
      alias,
      name: name ?? (alias === "" ? "sallyport" : alias),
      timeZone,
      storage: resolved?.storage ?? null,
      migrateOnStart: database.storage?.migrateOnStart ?? !isOnServer(resolved?.storage ?? null),
      clientHash: clientHash ?? document.passwords.clientHash,
      macros: { directory: absolute(database.macros?.directory ?? document.macros.directory) },
      ...policy,
    };
  });
  contradictions.push(...sharingContradictions(databases));
  return { databases, contradictions };
}

function absolute(directory: string | undefined): string | null {
  return directory === undefined ? null : resolve(directory);
}

function givenMembers(raw: unknown, index: number): string[] {
  const { databases } = (raw ?? {}) as { databases?: unknown };
  const { storage } = ((Array.isArray(databases) ? databases[index] : null) ?? {}) as { storage?: unknown };
  return typeof storage === "object" && storage !== null ? Object.keys(storage) : [];
}
