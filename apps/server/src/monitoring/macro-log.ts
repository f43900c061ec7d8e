import type { ExecutedMacro, IgnoredFailure, LoadedModules, MacroLine, MacroReports, RanHook } from "@sallyport/core";
import type { Logger } from "pino";
import type { Metrics } from "./metrics.ts";

/** Reports macros to log and metrics. The request log contains the reason of a failure. */
export class MacroLog implements MacroReports {
  constructor(
    private readonly logger: Logger,
    private readonly metrics: Pick<Metrics, "executed" | "ranHook">,
  ) {}

  executed(execution: ExecutedMacro): void {
    this.metrics.executed(execution);
  }

  ranHook(run: RanHook): void {
    this.metrics.ranHook(run);
  }

  logged({ line, ...facts }: MacroLine): void {
    this.logger.info({ ...facts, text: line }, "Macro log");
  }

  ignored({ error, ...facts }: IgnoredFailure): void {
    this.logger.error({ ...facts, err: error }, "Hook failed after the write; the response has meta-fields only");
  }

  loaded({ alias, macros, hooks, broken, shadowed }: LoadedModules): void {
    if (macros > 0 || hooks > 0 || broken.length > 0)
      this.logger.info({ alias, macros, hooks, broken: broken.length }, "Macros loaded");
    for (const { name, origin, fault } of broken)
      this.logger.error({ alias, macro: name, origin, err: fault }, "Macro failed to load");
    if (shadowed.length > 0)
      this.logger.warn({ alias, macros: shadowed }, "Macros in the database replace macros in the directory");
  }
}
