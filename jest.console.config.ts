/** @jest-config-loader esbuild-register */
import type { Config } from "jest";
import tests from "./jest.config.ts";

/** Tests of the console in a headless Chromium, which the machine must have. */
const config: Config = {
  ...tests,
  testMatch: ["<rootDir>/apps/server/test/console/**/*.console.ts"],
  maxWorkers: 1,
  testTimeout: 180_000,
};

export default config;
