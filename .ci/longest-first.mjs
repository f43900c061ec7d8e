import Sequencer from "@jest/test-sequencer";

/**
 * The test files that start first. The first three measure memory, with collections of the whole heap, which are fast in a
 * fresh worker. Then come the longest, so that no worker ends with a long one while the others have nothing left to do.
 * The others take a few seconds and follow by size.
 */
const longest = [
  "packages/files-disk/test/disk-file-store.test.ts",
  "packages/conformance-kit/test/broken-adapters.test.ts",
  "packages/testing/test/faults/with-faults.test.ts",
  "apps/server/test/processes/postgres.test.ts",
  "apps/server/test/sync.test.ts",
  "apps/server/test/processes/keys.test.ts",
  "apps/server/test/objects.test.ts",
  "apps/server/test/audited-commands.test.ts",
  "apps/server/test/access-control.test.ts",
  "apps/server/test/files.test.ts",
  "apps/server/test/routes.test.ts",
  "packages/conformance-kit/test/package.test.ts",
  "packages/testing/test/testing.test.ts",
  "apps/server/test/faults/faults.test.ts",
  "apps/server/test/verification/verify.test.ts",
  "apps/server/test/identity/providers.test.ts",
  "packages/storage-pglite/test/directory.test.ts",
  "apps/server/test/processes/serve.test.ts",
  "packages/testing/test/devices/devices.test.ts",
  "packages/storage-pglite/test/sessions.test.ts",
  "apps/server/test/session-limits.test.ts",
  "apps/server/test/accounts.test.ts",
  "apps/server/test/macros.test.ts",
  "apps/server/test/demo-providers.test.ts",
  "apps/server/test/sessions.test.ts",
  "apps/server/test/processes/commands.test.ts",
  "packages/storage-pglite/test/driver.test.ts",
  "apps/server/test/storages.test.ts",
  "apps/server/test/guides.test.ts",
  "packages/conformance-kit/test/run-check.test.ts",
  "apps/server/test/acceptance.test.ts",
  "packages/storage-knex/test/transactions.test.ts",
  "packages/storage-knex/test/migrations.test.ts",
  "packages/identity-passport/test/provider-faults.test.ts",
  "apps/cli/test/cli.test.ts",
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
