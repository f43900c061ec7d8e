import {
  ExecuteMacro,
  HostCalls,
  MacroHooks,
  MacroRunner,
  ModuleInspector,
  PutMacro,
  RemoveMacro,
} from "@sallyport/core";
import { ContractForms } from "@sallyport/http";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import type { Container } from "inversify";
import { MacroFolders } from "../../macros/macro-folders.ts";
import { macroLimits, macroThreads } from "../../macros/macro-limits.ts";
import { MacroLog } from "../../operations/macro-log.ts";
import { identifiers } from "../identifiers.ts";

/** Macros: where they come from, where they run, and what they can ask for. */
export function bindMacros(container: Container): void {
  const { configuration, logger, metrics, macroRuntime, macroReports, macroFolders, macroRunner, hostCalls } =
    identifiers;
  const forms = new ContractForms();
  container
    .bind(macroRuntime)
    .toResolvedValue(
      ({ macros: { threads, queue, niceness } }) =>
        new QuickJsMacroRuntime({ threads: macroThreads(threads), queue, niceness }),
      [configuration],
    );
  container.bind(macroReports).toResolvedValue((log, measured) => new MacroLog(log, measured), [logger, metrics]);
  container.bind(macroFolders).toResolvedValue(
    (configured, log, runtime) =>
      new MacroFolders({
        runtime,
        limits: macroLimits(configured),
        isWatching: configured.macros.watch,
        logger: log,
      }),
    [configuration, logger, macroRuntime],
  );
  container.bind(hostCalls).toDynamicValue(async ({ getAsync }) => {
    const useCases = {
      getObject: await getAsync(identifiers.getObject),
      listObjects: await getAsync(identifiers.listObjects),
      createObject: await getAsync(identifiers.createObject),
      updateObject: await getAsync(identifiers.updateObject),
      getReaders: await getAsync(identifiers.getReaders),
      setReaders: await getAsync(identifiers.setReaders),
      deleteObject: await getAsync(identifiers.deleteObject),
      lockObject: await getAsync(identifiers.lockObject),
      unlockObject: await getAsync(identifiers.unlockObject),
    };
    return new HostCalls(useCases, forms);
  });
  container
    .bind(macroRunner)
    .toResolvedValue(
      (runtime, calls, reports, { macros: { patience, timeout } }) =>
        new MacroRunner({ runtime, calls, reports, patience, hookTime: 4 * timeout, after }),
      [macroRuntime, hostCalls, macroReports, configuration],
    );
  container
    .bind(identifiers.objectHooks)
    .toResolvedValue(
      (reports) => new MacroHooks(() => container.getAsync(macroRunner), reports, forms),
      [macroReports],
    );
  container
    .bind(identifiers.putMacro)
    .toResolvedValue(
      (runtime, configured) => new PutMacro(new ModuleInspector(runtime, macroLimits(configured))),
      [macroRuntime, configuration],
    );
  container.bind(identifiers.removeMacro).toDynamicValue(() => new RemoveMacro());
  container
    .bind(identifiers.executeMacro)
    .toResolvedValue((...parts) => new ExecuteMacro(...parts), [macroRunner, macroReports]);
}

function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
