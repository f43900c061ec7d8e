import * as core from "@sallyport/core";
import { ContractForms } from "@sallyport/http";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import type { Configuration } from "../../configuration/index.ts";
import { MacroFolders, macroLimits, macroThreads } from "../../macros/macro-folders.ts";
import { MacroLog } from "../../operations/macro-log.ts";
import { classFactory, classFactoryByName, components, type Factories, functionFactory } from "../components.ts";

const { configuration, cursorSealing, digests, logger, macroReports, macroRuntime, slowQueries } = components;

/** Macros: sources, runtime and host calls. */
export const macroFactories = {
  macroRuntime: functionFactory(
    (configured, { macros: { queue, threadPriority } }) =>
      new QuickJsMacroRuntime({ threads: macroThreads(configured), queue: queue.limit, threadPriority }),
    [configuration, components.tuning],
  ),
  macroReports: classFactory(MacroLog, [logger, components.metrics]),
  macroFolders: classFactoryByName(MacroFolders, { runtime: macroRuntime, logger }, (configured: Configuration) => ({
    limits: macroLimits(configured),
    isWatching: configured.macros.watch,
  })),
  objectHooks: functionFactory(
    (runtime, reports, { macros: { timeout } }, { macros: { queue } }, ...reading) => {
      const forms = new ContractForms();
      // Hooks call use cases that call hooks again, so their runner needs the hooks under construction.
      const runnerOf = (hooks: core.ObjectHooks) => {
        const calls = new core.HostCalls(
          {
            getObject: new core.GetObject(hooks),
            listObjects: new core.ListObjects(...reading, hooks),
            createObject: new core.CreateObject(hooks),
            updateObject: new core.UpdateObject(hooks),
            getReaders: new core.GetReaders(),
            setReaders: new core.SetReaders(),
            deleteObject: new core.DeleteObject(hooks),
            lockObject: new core.LockObject(),
            unlockObject: new core.UnlockObject(),
          },
          forms,
        );
        return new core.MacroRunner({
          runtime,
          calls,
          reports,
          queueTimeout: queue.timeout,
          hookTime: 4 * timeout,
          after,
        });
      };
      return new core.MacroHooks(runnerOf, reports, forms);
    },
    [macroRuntime, macroReports, configuration, components.tuning, digests, cursorSealing, slowQueries],
  ),
  writeFileObject: classFactory(core.WriteFileObject, [components.objectHooks]),
  macroRunner: functionFactory(({ runner }) => runner, [components.objectHooks]),
  executeOperations: functionFactory(
    (hooks, runner, reports) => {
      const macros = new core.ExecuteMacro(runner, reports);
      return new core.ExecuteOperations({
        hooks,
        deleteObject: new core.DeleteObject(hooks),
        decide: async (context, name, input) =>
          (await macros.executeMacro(context, name, { input, skipCheck: false })).result,
        prepared: (context, work) => macros.prepared(context, work),
      });
    },
    [components.objectHooks, components.macroRunner, macroReports],
  ),
} satisfies Factories;

function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
