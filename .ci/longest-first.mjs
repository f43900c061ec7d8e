import Sequencer from "@jest/test-sequencer";

/**
 * The slowest test files, the slowest first. If one of them ran last, one worker would be busy while the other is idle. The size of a file
 * does not tell its duration. All other files take seconds and follow.
 */
const longest = [
  "apps/server/test/faults/faults.test.ts",
  "apps/server/test/demo.test.ts",
  "apps/server/test/processes/archive-commands.test.ts",
  "apps/server/test/processes/key-rotation.test.ts",
  "apps/server/test/archive-round-trip.test.ts",
  "packages/storage-pglite/test/durability.test.ts",
  "packages/storage-pglite/test/directory.test.ts",
  "packages/storage-pglite/test/statement-timeout.test.ts",
  "packages/conformance-kit/test/exactly-caught.test.ts",
  "packages/conformance-kit/test/broken-adapters.test.ts",
  "packages/conformance-kit/test/differential/find-difference.test.ts",
  "apps/server/test/sessions.test.ts",
  "apps/server/test/queries/random-queries.test.ts",
  "apps/server/test/processes/set-up.test.ts",
  "apps/server/test/processes/commands.test.ts",
  "packages/storage-pglite/test/driver.test.ts",
  "packages/storage-pglite/test/sessions.test.ts",
  "apps/server/test/embedded-statements.test.ts",
  "packages/storage-faults/test/conformance.test.ts",
  "packages/create-storage-adapter/test/template.test.ts",
  "packages/conformance-kit/test/coverage.test.ts",
  "packages/conformance-kit/test/broken-processes.test.ts",
  "apps/server/test/playground.test.ts",
  "apps/server/test/rights.test.ts",
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
