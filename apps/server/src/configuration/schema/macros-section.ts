import { duration, flag, path, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, optionalSection, section } from "../fields.ts";

const directoryDoc =
  "Folder with macros and hooks, one per file (`.js`, `.mjs`, `.ts`), which all databases have; the demo's own, or none, unless given.";

/** Where macros come from, and what they may use up. */
export const macrosSection = section({
  directory: optionalField("MACROS_DIR", path(), { doc: directoryDoc }),
  watch: optionalField("MACROS_WATCH", flag(), {
    doc: "Whether changes in the folders are noticed by themselves, within a second; unless given, everywhere but in production. SIGHUP has them read anew in any case.",
  }),
  timeout: field("MACRO_TIMEOUT", duration("10ms", "10m"), "5s", {
    doc: "How long one execution may take, with all that it waits for; a macro may ask for less. What takes longer is answered 710.",
  }),
  cpu: field("MACRO_CPU", duration("10ms", "10m"), "1s", {
    doc: "How long the code of one execution may run, without what it waits for.",
  }),
  memory: field("MACRO_MEMORY", wholeNumber(1, 1_024), 16, { doc: "MiB that a macro may use; it may ask for less." }),
  threads: optionalField("MACRO_THREADS", wholeNumber(1, 64), {
    doc: "Threads of macros, and so executions that run at once; each is started when it is needed, and up to eleven more executions may wait in it for the server or their turn. Unless given, one less than there are processors, at least 2 and at most 4.",
  }),
  niceness: field("MACRO_NICENESS", wholeNumber(0, 19), 10, {
    doc: "How far the threads of macros stand back behind requests, on Linux: 0 not at all, 19 as far as can be. Where other work keeps all processors busy they get a tenth of their share at 10, and next to nothing at 19.",
  }),
  queue: field("MACRO_QUEUE", wholeNumber(0, 100_000), 200, {
    doc: "Executions that wait for a thread; more are answered 706 at once.",
  }),
  patience: field("MACRO_PATIENCE", duration("10ms", "10m"), "2s", {
    doc: "How long an execution waits for a thread before it is answered 706.",
  }),
  hostCalls: field("MACRO_HOST_CALLS", wholeNumber(1, 1_000_000), 1_000, {
    doc: "Calls of the server's functions that one macro may make.",
  }),
  resultBytes: field("MACRO_RESULT_BYTES", wholeNumber(1_024, 64 * 1_048_576), 1_048_576, {
    doc: "Bytes of JSON that a macro may give back.",
  }),
});

/** What one database has of its own. */
export const ownMacrosSection = optionalSection({
  directory: optionalField(null, path(), {
    doc: "Folder with the macros of this database, instead of the common one.",
  }),
});
