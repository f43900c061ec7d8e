import { initial } from "./0001-initial.ts";
import { secureSessions } from "./0002-secure-sessions.ts";
import { auditTallies } from "./0003-audit-tallies.ts";
import { entryFunctions } from "./0004-entry-functions.ts";
import { linkedObjects } from "./0005-linked-objects.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in their order. */
export const migrations: readonly Migration[] = [initial, secureSessions, auditTallies, entryFunctions, linkedObjects];
