import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from "@jest/environment";
import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";

/** Jest's `testEnvironment` for `ProcessRuntime`: the global scope of the process, restored after each test file. */
export default class ProcessEnvironment implements JestEnvironment<unknown> {
  readonly global = globalThis as unknown as JestEnvironment["global"];
  readonly moduleMocker = new ModuleMocker(this.global);
  readonly fakeTimers = null;
  readonly fakeTimersModern;
  readonly #console = console;
  readonly #exit = process.exit;
  readonly #variables = { ...process.env };

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {
    // Jest formats stack traces with source maps of its own; these come from Node.
    Reflect.deleteProperty(Error, "prepareStackTrace");
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  exportConditions(): string[] {
    return ["node", "node-addons"];
  }

  getVmContext(): null {
    return null;
  }
}
