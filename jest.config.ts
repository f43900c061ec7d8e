/** @jest-config-loader esbuild-register */
import type { Config } from "jest";

const mariadb = (process.env["MARIADB_URL"] ?? "") !== "";
if (!mariadb) process.stderr.write("MARIADB_URL names no server: the suites on MariaDB are left out.\n");

/** Workspace packages are tested as built (their `dist`); a test's own relative imports are compiled on the fly. */
const config: Config = {
  testMatch: ["<rootDir>/packages/**/*.test.ts", "<rootDir>/apps/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "/dist/", ...(mariadb ? [] : ["/test/mariadb/"])],
  modulePathIgnorePatterns: ["/dist/.*package.json"],
  testEnvironment: "node",
  globalSetup: "<rootDir>/packages/test-kit/dist/run-directory/create-run-directory.js",
  globalTeardown: "<rootDir>/packages/test-kit/dist/run-directory/remove-run-directory.js",
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" } },
    ],
  },
  // What is left of a test file's modules stays in memory: jest's clean-up of globals takes time and does not help, a new process does.
  testEnvironmentOptions: { globalsCleanup: "off" },
  workerIdleMemoryLimit: "700MB",
  maxWorkers: 2,
  testSequencer: "<rootDir>/.ci/longest-first.mjs",
  // Tells what hangs, not what is slow: a disk that others keep busy holds a commit back for seconds.
  testTimeout: 30_000,
};

export default config;
