/** @jest-config-loader esbuild-register */
import type { Config } from "jest";
import tests from "./jest.config.ts";

/** What takes minutes and is not part of every run. */
const config: Config = { ...tests, testMatch: ["<rootDir>/apps/**/*.drill.ts"], maxWorkers: 1, testTimeout: 600_000 };

export default config;
