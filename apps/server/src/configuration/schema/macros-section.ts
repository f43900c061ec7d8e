import { duration, flag, path, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, optionalSection, section } from "../fields.ts";

/** Sources and limits of macros. */
export const macrosSection = section({
  directory: optionalField("MACROS_DIR", path(), {
    doc: "Directory with the macros and hooks of all databases, one per file (`.js`, `.mjs`, `.ts`). By default, the demo has its own; other servers have none.",
  }),
  watch: optionalField("MACROS_WATCH", flag(), {
    doc: "Reloads macros within a second after a file changes. Enabled by default, except in production. SIGHUP always reloads them.",
  }),
  timeout: field("MACRO_TIMEOUT", duration("10ms", "10m"), "5s", {
    doc: "Maximum duration of an execution, including the time it waits for the server. A macro can declare less. A longer execution fails with 710.",
  }),
  cpuTime: field("MACRO_CPU_TIME", duration("10ms", "10m"), "1s", {
    doc: "Maximum CPU time of an execution, excluding the time it waits for the server.",
  }),
  memory: field("MACRO_MEMORY", wholeNumber(1, 1_024), 16, {
    doc: "Maximum memory of an execution in MiB. A macro can declare less.",
  }),
  threads: optionalField("MACRO_THREADS", wholeNumber(1, 64), {
    doc: "Maximum number of worker threads for macros. Each runs one execution and keeps up to eleven more that wait for the server or their turn. Defaults to the number of processors for each worker minus one, at least 2 and at most 4.",
  }),
  hostCalls: field("MACRO_HOST_CALLS", wholeNumber(1, 1_000_000), 1_000, {
    doc: "Maximum number of calls that an execution makes to functions of the server.",
  }),
});

/** Macro settings of one database. */
export const ownMacrosSection = optionalSection({
  directory: optionalField(null, path(), {
    doc: "Directory with the macros of this database. Overrides the server-wide value.",
  }),
});
