import { rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import ProcessEnvironment from "@sallyport/test-kit/jest/process-environment";

const file = join(process.env.MUTANT_STATE, String(process.pid));
process.once("exit", () => rmSync(file, { force: true }));

/** Tells the code under test, in this process and in those that it starts, which mutant is on and which test file runs. */
export default class MutantEnvironment extends ProcessEnvironment {
  constructor(config, context) {
    const test = relative(config.globalConfig.rootDir, context.testPath);
    writeFileSync(file, JSON.stringify({ mutant: JSON.parse(process.env.MUTANT), test }));
    super(config, context);
  }
}
