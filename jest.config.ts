/** @jest-config-loader esbuild-register */
import type { Config } from "jest";

const mariadb = (process.env["MARIADB_URL"] ?? "") !== "";
if (!mariadb) process.stderr.write("MARIADB_URL names no server: the suites on MariaDB are left out.\n");
if ((process.env["S3_URL"] ?? "") === "")
  process.stderr.write("S3_URL names no server: the suites on object storage are left out.\n");

/** Tests run against the compiled workspace packages (`dist`). Relative imports of tests are compiled on the fly. */
const config: Config = {
  testMatch: ["<rootDir>/packages/**/*.test.ts", "<rootDir>/apps/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "/dist/", ...(mariadb ? [] : ["/test/mariadb/"])],
  modulePathIgnorePatterns: ["/dist/.*package.json", "<rootDir>/.ci/known-bad/"],
  runtime: "<rootDir>/packages/test-kit/dist/jest/process-runtime.js",
  runner: "<rootDir>/packages/test-kit/dist/jest/process-runner.js",
  testEnvironment: "<rootDir>/packages/test-kit/dist/jest/process-environment.js",
  globalSetup: "<rootDir>/packages/test-kit/dist/run-directory/create-run-directory.js",
  globalTeardown: "<rootDir>/packages/test-kit/dist/run-directory/remove-run-directory.js",
  transform: {},
  // The modules of a test file stay in memory, some 9 MB. A new process frees them, but loads and compiles the server again.
  workerIdleMemoryLimit: "1200MB",
  // A worker that is still there has something open, which it reports after half a minute. A busy machine takes a while to end
  // the others.
  workerGracefulExitTimeout: 180_000,
  // One more than the cores of the machine that the usual time is of, because many tests wait for a limit to pass.
  // A Postgres that is not of the tests usually has 100 connections, which three files can exceed.
  maxWorkers: (process.env["DATABASE_URL"] ?? "") === "" ? 3 : 2,
  testSequencer: "<rootDir>/.ci/longest-first.mjs",
  // Detects tests that hang, not slow tests: on a busy disk, a commit can take seconds.
  testTimeout: 30_000,
};

export default config;
