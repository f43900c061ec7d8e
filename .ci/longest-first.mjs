import Sequencer from "@jest/test-sequencer";

/**
 * The longest test files. They start first, so that no worker ends with a long one while the other
 * has nothing left to do. The others take a few seconds and follow by size.
 */
const longest = [
  "apps/server/test/objects.test.ts",
  "apps/server/test/faults/faults.test.ts",
  "packages/storage-pglite/test/sessions.test.ts",
  "packages/conformance-kit/test/package.test.ts",
  "apps/server/test/identity/providers.test.ts",
  "apps/server/test/queries.test.ts",
  "packages/identity-passport/test/provider-faults.test.ts",
  "apps/server/test/processes/serve.test.ts",
  "apps/server/test/processes/set-up.test.ts",
  "packages/storage-knex/test/transactions.test.ts",
  "packages/storage-pglite/test/driver.test.ts",
  "packages/storage-pglite/test/directory.test.ts",
  "packages/conformance-kit/test/broken-adapters.test.ts",
  "apps/server/test/processes/keys.test.ts",
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
