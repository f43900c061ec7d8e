/** @jest-config-loader esbuild-register */
import type { Config } from "jest";
import tests from "./jest.config.ts";

/** Tests that take minutes and do not belong to every run. */
const config: Config = {
  ...tests,
  testMatch: ["<rootDir>/{apps,packages}/**/*.drill.ts"],
  maxWorkers: 1,
  testTimeout: 600_000,
};

export default config;
