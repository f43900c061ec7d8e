import Sequencer from "@jest/test-sequencer";

/**
 * The test files that start first. The first three measure memory, with collections of the whole heap, which are fast in a
 * fresh worker. Then come the longest, so that no worker ends with a long one while the others have nothing left to do.
 * The others take a few seconds and follow by size.
 */
const longest = [
  "packages/files-disk/test/disk-file-store.test.ts",
  "packages/conformance-kit/test/mutants.test.ts",
  "packages/conformance-kit/test/broken-adapters.test.ts",
  "packages/testing/test/faults/with-faults.test.ts",
  "apps/server/test/verification/verify.test.ts",
  "apps/server/test/requests/turns.test.ts",
  "apps/server/test/routes/routes.test.ts",
  "apps/server/test/faults/requests.test.ts",
  "packages/conformance-kit/test/package.test.ts",
  "apps/server/test/processes/file-commands.test.ts",
  "apps/server/test/processes/master-key.test.ts",
  "apps/server/test/macros/attacks-on-calls.test.ts",
  "apps/server/test/databases/changes.test.ts",
  "apps/server/test/routes/session-routes.test.ts",
  "packages/identity-passport/test/callback-parameters.test.ts",
  "packages/identity-passport/test/provider-faults.test.ts",
  "apps/server/test/providers/demo-providers.test.ts",
  "apps/server/test/package/package.test.ts",
  "packages/storage-pglite/test/directory.test.ts",
  "packages/testing/test/devices/devices.test.ts",
  "packages/storage-pglite/test/sessions.test.ts",
  "apps/server/test/routes/acceptance.test.ts",
  "apps/server/test/commands/audited-commands.test.ts",
  "apps/server/test/processes/postgres/workers.test.ts",
  "apps/server/test/processes/postgres/storms.test.ts",
  "apps/server/test/processes/keys.test.ts",
  "apps/server/test/processes/serve.test.ts",
  "apps/server/test/secure/unauthenticated-work.test.ts",
  "apps/server/test/log-in-endpoints/log-ins.test.ts",
  "apps/server/test/files/encryption.test.ts",
  "apps/server/test/files/codes.test.ts",
  "apps/server/test/requests/idempotency.test.ts",
  "apps/server/test/client/files.test.ts",
  "apps/server/test/sync/device.test.ts",
  "apps/server/test/sessions/session-limits.test.ts",
  "packages/storage-pglite/test/driver.test.ts",
  "apps/server/test/databases/storages.test.ts",
  "packages/conformance-kit/test/run-check.test.ts",
  "packages/storage-knex/test/transactions.test.ts",
  "packages/storage-knex/test/migrations.test.ts",
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
