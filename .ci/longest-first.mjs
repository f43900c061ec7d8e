import Sequencer from "@jest/test-sequencer";

/**
 * The test files that start first. The first three measure memory, with collections of the whole heap, which are fast in a
 * fresh worker. Then come the longest, so that no worker ends with a long one while the others have nothing left to do.
 * The others take a few seconds and follow by size.
 */
const longest = [
  "packages/files-disk/test/disk-file-store.test.ts",
  "packages/conformance-kit/test/broken-adapters.test.ts",
  "packages/storage-faults/test/with-faults.test.ts",
  "apps/server/test/objects.test.ts",
  "apps/server/test/routes.test.ts",
  "apps/server/test/access-control.test.ts",
  "packages/conformance-kit/test/package.test.ts",
  "apps/server/test/files.test.ts",
  "apps/server/test/faults/faults.test.ts",
  "packages/storage-pglite/test/sessions.test.ts",
  "packages/storage-pglite/test/directory.test.ts",
  "packages/storage-pglite/test/driver.test.ts",
  "apps/server/test/identity/providers.test.ts",
  "packages/macros/test/neighbours.test.ts",
  "apps/server/test/accounts.test.ts",
  "apps/server/test/session-limits.test.ts",
  "packages/identity-passport/test/provider-faults.test.ts",
  "packages/storage-knex/test/transactions.test.ts",
  "apps/server/test/processes/serve.test.ts",
  "apps/server/test/processes/set-up.test.ts",
  "apps/server/test/processes/postgres.test.ts",
  "apps/server/test/processes/commands.test.ts",
  "apps/server/test/processes/keys.test.ts",
  "apps/server/src/archive/archive.test.ts",
  "apps/server/test/queries.test.ts",
  "apps/server/test/macros.test.ts",
  "apps/server/test/storages.test.ts",
  "apps/server/test/package.test.ts",
];

const placeOf = ({ path }) => {
  const place = longest.findIndex((name) => path.replaceAll("\\", "/").endsWith(name));
  return place === -1 ? longest.length : place;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort([...tests]).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
