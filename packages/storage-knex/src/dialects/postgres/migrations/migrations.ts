import { initial } from "./0001-initial.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in their order. */
export const migrations: readonly Migration[] = [initial];
