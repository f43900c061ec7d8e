import { createRequire } from "node:module";
import type jestRunner from "jest-runner";
import type * as jestWorker from "jest-worker";

const require = createRequire(import.meta.url);
const { default: TestRunner } = require("jest-runner") as typeof jestRunner;
const { Worker } = require("jest-worker") as typeof jestWorker;

/**
 * Jest's `runner`: the run fails if a worker has to be ended by force, because tests have left something open. The worker has
 * reported before what holds it.
 */
export default class ProcessRunner extends TestRunner {
  override async runTests(...run: Parameters<jestRunner.default["runTests"]>): Promise<void> {
    const { end } = Worker.prototype;
    Worker.prototype.end = async function endOrFail(this: jestWorker.Worker) {
      const exit = await end.call(this);
      if (exit.forceExited) {
        process.exitCode = 1;
        process.stderr.write("The run fails, because a worker did not exit by itself.\n");
      }
      return exit;
    };
    try {
      await super.runTests(...run);
    } finally {
      Worker.prototype.end = end;
    }
  }
}
