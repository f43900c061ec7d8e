import { issueOneTimeFunction } from "./issue-one-time-function.ts";
import type { Migration } from "./migration.ts";

/** Only so many one-time secrets of a kind are good at once; the index is what they are counted by. */
export const oneTimeRoom: Migration = {
  name: "0019-one-time-room",
  statements: (tables) => [
    `create index one_time_secrets_kind_expiry on ${tables.oneTimeSecrets} (kind, expires_at)`,
    issueOneTimeFunction(tables),
  ],
};
