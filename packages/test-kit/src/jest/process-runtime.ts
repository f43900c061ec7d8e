import { createRequire, register } from "node:module";
import type asyncHooks from "node:async_hooks";
import { pathToFileURL } from "node:url";
import type jestRuntime from "jest-runtime";
import { reportIfHeld } from "./held-worker.ts";

register("./typescript-hooks.js", import.meta.url);
process.setSourceMapsEnabled(true);
reportIfHeld();

const require = createRequire(import.meta.url);
const { default: Runtime } = require("jest-runtime") as typeof jestRuntime;

/**
 * Keeps a value while a callback runs, as `AsyncLocalStorage` does, if only one callback runs at a time. Jest keeps the running
 * test in such a storage, a new one for each test file. Each makes Node call a hook for every promise of the process, and
 * none is ever disabled: after a hundred test files, promises would cost more than the work between them.
 */
class SequentialStorage<Value> {
  #value: Value | undefined;

  getStore(): Value | undefined {
    return this.#value;
  }

  run<Result>(value: Value, callback: () => Promise<Result>): Promise<Result> {
    const outer = this.#value;
    this.#value = value;
    return callback().finally(() => {
      this.#value = outer;
    });
  }
}

function requireWithSequentialStorage(path: string): unknown {
  const hooks = require("node:async_hooks") as typeof asyncHooks;
  // Since Node 22.23 the property has a getter and no setter.
  const property = Object.getOwnPropertyDescriptor(hooks, "AsyncLocalStorage") as PropertyDescriptor;
  Object.defineProperty(hooks, "AsyncLocalStorage", { value: SequentialStorage, configurable: true });
  try {
    return require(path);
  } finally {
    Object.defineProperty(hooks, "AsyncLocalStorage", property);
  }
}

/** Number of test files that this process has loaded. It is part of the URLs of their TypeScript modules. */
let loaded = 0;

/**
 * Jest's `runtime`: Node itself loads the modules of a test file, into the global scope of the worker process. Jest's own
 * runtime loads all 2,000 modules of the server again for each test file, and runs them cold.
 *
 * A test file and the modules of its `test` folder are loaded for it alone; built packages, and the sources beside a test,
 * stay loaded. Module mocks and transforms of Jest have no effect.
 */
export default class ProcessRuntime extends Runtime {
  override requireInternalModule<T>(from: string, to?: string): T {
    const path = to === undefined ? from : createRequire(from).resolve(to);
    if (path.includes("jest-circus")) {
      // It collects the tests of one file, in its module and in a global variable.
      delete require.cache[path];
      Reflect.deleteProperty(globalThis, Symbol.for("EVENT_HANDLERS"));
      return requireWithSequentialStorage(path) as T;
    }
    return require(path) as T;
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  override async unstable_importModule(path: string): Promise<never> {
    const { jest } = this.requireModuleOrMock<{ jest: unknown }>(path, "@jest/globals");
    Object.assign(globalThis, { jest });
    loaded += 1;
    return (await import(`${pathToFileURL(path).href}?file=${loaded}`)) as never;
  }
}
