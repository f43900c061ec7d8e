import vm = require("node:vm");

/** The process outside a sandbox, if there is one. */
const host = vm.runInThisContext("process") as NodeJS.Process;

/**
 * Loads a module of this package with the loader of Node. In its sandbox, Jest has a loader that does not load ES modules
 * from CommonJS on each version of Node.
 */
const load: (path: string) => object = host.getBuiltinModule("node:module").createRequire(__filename);

export = load;
