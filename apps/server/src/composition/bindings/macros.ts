import * as core from "@sallyport/core";
import { MacroArguments } from "@sallyport/http";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import type { Configuration } from "../../configuration/index.ts";
import { MacroFolders, macroLimits, macroThreads } from "../../macros/macro-folders.ts";
import { MacroLog } from "../../monitoring/macro-log.ts";
import { classFactory, classFactoryByName, components, type Factories, functionFactory } from "../components.ts";

const { configuration, logger, macroReports, macroRuntime } = components;

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
  macroForms: classFactory(MacroArguments, []),
  macroRunner: functionFactory(
    (runtime, reports, configured, tuning, forms) =>
      new core.MacroRunner({
        runtime,
        calls: new core.HostCalls(forms),
        reports,
        queueTimeout: tuning.macros.queue.timeout,
        // All hooks of a request together.
        hookTime: 4 * configured.macros.timeout,
        after: afterRealTime,
      }),
    [macroRuntime, macroReports, configuration, components.tuning, components.macroForms],
  ),
  objectHooks: classFactory(core.MacroHooks, [components.macroRunner, macroReports, components.macroForms]),
} satisfies Factories;

/** Also under the clock of tests: the threads of the runtime measure real time. */
function afterRealTime(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
