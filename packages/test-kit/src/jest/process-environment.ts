import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from "@jest/environment";
import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";
import { noteCost } from "../cost/costs-of-files.ts";
import { ownProcessorTime } from "../cost/processor-time.ts";
import { noteEnd } from "./held-worker.ts";
import { limitWaits } from "./until.ts";

/** The part of Jest's events that says which test or hook has begun or passed. */
interface TestEvent {
  readonly name: string;
  readonly test?: unknown;
  readonly hook?: unknown;
}

/** A test or a hook; without a time-out of its own, it has the one of the file. */
interface Limited {
  readonly timeout?: number;
}

/** The part of Jest's tests that matters here. */
interface CircusTest {
  readonly errors: Error[];
  readonly fn: unknown;
  /** Made where the test was defined. */
  readonly asyncError: { readonly stack?: string };
}

interface WithExpect {
  readonly expect: { getState(): { readonly assertionCalls: number } };
}

/** Jest's `testEnvironment` for `ProcessRuntime`: the global scope of the process, restored after each test file. */
export default class ProcessEnvironment implements JestEnvironment<unknown> {
  readonly global = globalThis as unknown as JestEnvironment["global"];
  readonly moduleMocker = new ModuleMocker(this.global);
  readonly fakeTimers = null;
  readonly fakeTimersModern;
  readonly #console = console;
  readonly #exit = process.exit;
  readonly #variables = { ...process.env };
  readonly #path: string;
  readonly #timeBefore = ownProcessorTime();
  #assertionsBefore = 0;

  constructor({ projectConfig }: JestEnvironmentConfig, { testPath }: EnvironmentContext) {
    this.#path = testPath;
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
    noteCost(this.#path, ownProcessorTime() - this.#timeBefore);
    noteEnd(this.#path);
  }

  /** A test that passes without an assertion proves nothing, so it fails. Waits end with their test. */
  handleTestEvent({ name, test, hook }: TestEvent, { testTimeout }: { readonly testTimeout: number }): void {
    const { assertionCalls } = (globalThis as unknown as WithExpect).expect.getState();
    if (name === "test_fn_start") this.#assertionsBefore = assertionCalls;
    if (/^(?:test_fn|hook)_start$/.test(name)) limitWaits(((test ?? hook) as Limited).timeout ?? testTimeout);
    if (/^(?:test_fn|hook)_(?:success|failure)$/.test(name)) limitWaits(undefined);
    if (name === "test_fn_success" && assertionCalls === this.#assertionsBefore && !assertsByItself(test as CircusTest))
      (test as CircusTest).errors.push(new Error("The test has no assertion."));
  }

  exportConditions(): string[] {
    return ["node", "node-addons"];
  }

  getVmContext(): null {
    return null;
  }
}

/**
 * Whether the test asserts without Jest's `expect`: with that of Supertest, or as a check of a package that defines tests, such
 * as a conformance kit. Those checks throw.
 */
function assertsByItself({ fn, asyncError }: CircusTest): boolean {
  const [, ...frames] = asyncError.stack?.split("\n") ?? [];
  const definition = frames.find((frame) => frame.includes("/") && !frame.includes("node_modules/jest"));
  return String(fn).includes(".expect(") || /\/(?:dist|src)\/(?!.*\.test\.ts)/.test(definition ?? "");
}
