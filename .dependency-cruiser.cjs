/** Who may import whom. Each rule has an example that it must catch, under `.ci/known-bad/<name of the rule>`. */

/** What no installation holds. */
const TEST = ["\\.test\\.ts$", "^(?:packages|apps)/[^/]+/test/", "^packages/test-kit/", "^apps/bench/"];
/** What acceptance, simulated devices and test services have in common. */
const TESTERS_SHARE = "testing/src/(?:run/|matchers/|modes\\.ts)";
const sourceOf = (names) => ({ path: `^packages/${names}/src/`, pathNot: TEST });
const onlyOurs = (names) => ({ path: "^(?:packages|apps)/", pathNot: `^packages/${names}` });

/** Every package that is none of these is an adapter: a new one is held to the adapters' rule before anybody thinks of it. */
const NO_ADAPTER = "(?:storage|core|contract|http|client|conformance-kit|testing)";
const APP_OTHER_THAN_SERVER = "^apps/(?!server/)";

const forbidden = [
  {
    name: "storage-imports-only-itself",
    comment:
      "The floor of the domain, and all that an adapter has to know: no other package, no framework and no built-in module of Node.",
    from: sourceOf("storage"),
    to: { pathNot: "^packages/storage/src/" },
  },
  {
    name: "core-imports-only-storage",
    comment: "The domain knows its floor, no other package, no framework and no built-in module of Node.",
    from: sourceOf("core"),
    to: { pathNot: "^packages/(?:core|storage)/src/" },
  },
  {
    name: "core-contexts-have-one-door",
    comment:
      "A context of the domain is what its index exports: others import that, and nothing behind it. So contexts that need each other are modules in a circle, which `no-circular` reports.",
    from: { path: "^packages/core/src/([^/]+)/" },
    to: {
      path: "^packages/core/src/[^/]+/",
      pathNot: ["^packages/core/src/$1/", "^packages/core/src/[^/]+/index\\.ts$"],
    },
  },
  {
    name: "contract-imports-only-errors-and-zod",
    comment:
      "The wire contract is shared by server and clients, browsers among them; of the domain it knows `@sallyport/storage/errors`.",
    from: sourceOf("contract"),
    to: { pathNot: "^packages/(?:contract/src/|storage/src/errors/)|(?:^|/)node_modules/zod/" },
  },
  {
    name: "http-imports-no-adapter",
    comment: "HTTP speaks to ports; the server hands it the adapters.",
    from: sourceOf("http"),
    to: onlyOurs("(?:http|contract|core|storage)/"),
  },
  {
    name: "client-imports-only-contract-and-errors",
    comment:
      "The SDK shares the wire and the error codes (`@sallyport/storage/errors`) with the server. It runs in browsers: no built-in module of Node, and no package that an application would have to carry.",
    from: { path: "^packages/client/src/(?!terminal/)", pathNot: TEST },
    to: { pathNot: "^packages/(?:client/src/(?!terminal/)|contract/src/|storage/src/errors/)" },
  },
  {
    name: "terminal-imports-only-node",
    comment:
      "What both command lines print and ask needs the terminal alone. It stands in the client, which both can have without another package.",
    from: { path: "^packages/client/src/terminal/", pathNot: TEST },
    to: { pathNot: "^packages/client/src/terminal/", dependencyTypesNot: ["core"] },
  },
  {
    name: "terminal-is-for-command-lines",
    comment: "Tables, prompts and suggestions are those of the commands of the server and of administrators.",
    from: { path: "^(?:packages|apps)/", pathNot: ["^packages/client/src/terminal/", "^apps/(?:server|cli)/"] },
    to: { path: "^packages/client/src/terminal/" },
  },
  {
    name: "server-imports-no-client",
    comment: "The server does not use itself over the network; of the client it has the parts of command lines.",
    from: { path: "^apps/server/src/", pathNot: TEST },
    to: { path: "^packages/client/", pathNot: "^packages/client/src/terminal/" },
  },
  {
    name: "testers-import-only-client-contract-and-errors",
    comment: "Acceptance and simulated devices see servers as other clients do, over the network.",
    from: { path: "^packages/testing/src/(acceptance|devices)/", pathNot: TEST },
    to: onlyOurs(`(?:testing/src/$1/|${TESTERS_SHARE}|client/|contract/|storage/src/errors/)`),
  },
  {
    name: "parts-of-testers-import-no-service",
    comment: "The runner, its report and the assertions do not load a server.",
    from: { path: `^packages/${TESTERS_SHARE}`, pathNot: TEST },
    to: onlyOurs(
      `(?:${TESTERS_SHARE}|testing/src/service/answered-request\\.ts|client/|contract/|storage/src/errors/)`,
    ),
  },
  {
    name: "conformance-kit-imports-only-ports",
    comment:
      "The kit judges adapters by the ports alone; it would favour an adapter that it knows. One file names the reference that others are compared with.",
    from: {
      path: "^packages/conformance-kit/src/",
      pathNot: ["^packages/conformance-kit/src/differential/memory-reference\\.ts$", ...TEST],
    },
    to: onlyOurs("(?:conformance-kit|core|storage)/"),
  },
  {
    name: "adapters-import-only-core",
    comment: "An adapter serves a port of the domain and can be left out or replaced alone.",
    from: { path: `^packages/(?!${NO_ADAPTER}/|storage-pglite/)([^/]+)/src/`, pathNot: TEST },
    to: onlyOurs("(?:$1|core|storage)/"),
  },
  {
    name: "storage-adapters-import-only-storage",
    comment: "A storage knows its port and the rules beside it, nothing of the use cases above.",
    from: { path: "^packages/((?:storage|files)-(?!pglite/)[^/]+)/src/", pathNot: TEST },
    to: onlyOurs("(?:$1|storage)/"),
  },
  {
    name: "storage-pglite-imports-only-storage-and-storage-knex",
    comment: "The embedded engine is a client for the Knex adapter: the one adapter that builds on another.",
    from: sourceOf("storage-pglite"),
    to: onlyOurs("(?:storage-pglite|storage-knex|storage)/"),
  },
  {
    name: "sandbox-imports-nothing-of-the-server",
    comment:
      "What is loaded into the sandbox of macros runs there: it finds neither Node nor the server, only what is loaded with it.",
    from: { path: "^packages/macros/src/(?:prelude|authoring)/", pathNot: TEST },
    to: { pathNot: "^packages/macros/src/(?:prelude|authoring)/|(?:^|/)node_modules/@cfworker/json-schema/" },
  },
  {
    name: "faults-import-only-storage",
    comment: "What wraps a storage or a file store knows its port, and nothing of the services that use it.",
    from: { path: "^packages/testing/src/faults/", pathNot: TEST },
    to: onlyOurs("(?:testing/src/faults|storage)/"),
  },
  {
    name: "parts-of-testing-load-alone",
    comment: "Each entry point of the package loads its own part only, so that a test pays for nothing else.",
    from: { path: "^packages/testing/src/([^/]+)", pathNot: TEST },
    to: { path: "^packages/testing/src/(?:acceptance|devices|faults)/", pathNot: "^packages/testing/src/$1/" },
  },
  {
    name: "testing-is-for-tests",
    comment: "Test services, and what lets a storage fail on purpose, are part of no installation.",
    from: { path: "^(?:packages|apps)/[^/]+/src/", pathNot: ["^packages/testing/", ...TEST] },
    to: { path: "^packages/testing/" },
  },
  {
    name: "test-kit-is-for-tests",
    comment: "What test suites share is part of no installation.",
    from: { path: "^(?:packages|apps)/[^/]+/src/", pathNot: TEST },
    to: { path: "^packages/test-kit/" },
  },
  {
    name: "nothing-imports-an-app",
    comment:
      "Apps are ends. What two of them need is a package. The test kit starts a service by the entry point of the server for it, and the command line of administrators has one for the operator.",
    from: { path: "^(?:packages|apps)/(?!testing/)([^/]+)/" },
    to: { path: "^apps/", pathNot: ["^apps/$1/", "^apps/server/src/operator/index\\.ts$"] },
  },
  {
    name: "operator-is-for-the-command-line",
    comment: "What opens databases without a log-in is for the command line on the machine of the server alone.",
    from: { path: "^(?:packages|apps)/", pathNot: "^apps/(?:cli|server)/" },
    to: { path: "^apps/server/src/operator/" },
  },
  {
    name: "testing-imports-only-its-entry-point-and-client",
    comment:
      "The test kit sees a service as its users do, over HTTP with the client. It starts one by `@sallyport/server/testing`, and knows nothing else of the server.",
    from: { path: "^packages/testing/src/(?!acceptance/|devices/|faults/|run/|matchers/|modes\\.ts)", pathNot: TEST },
    to: {
      path: "^(?:packages|apps)/",
      pathNot: "^packages/(?:testing/|client/|contract/|storage/src/errors/)|^apps/server/src/testing/index\\.ts$",
    },
  },
  {
    name: "only-server-composes",
    comment: "One composition root: only the server knows the container.",
    from: { pathNot: "^apps/server/" },
    to: { path: "(?:^|/)node_modules/(?:inversify|@inversifyjs/[^/]+|reflect-metadata)/" },
  },
  {
    name: "only-server-imports-adapters",
    comment: "The other apps reach a running server through the client.",
    from: { path: APP_OTHER_THAN_SERVER, pathNot: TEST },
    to: { path: "^packages/", pathNot: "^packages/(?:client|contract|core|storage)/" },
  },
  {
    name: "no-circular",
    comment: "Modules in a circle can be understood, tested and loaded only together.",
    from: {},
    to: { circular: true },
  },
  {
    name: "no-deep-imports",
    comment:
      "A package is what it exports: import it by its name, never by a path into it. What test suites of several packages share is `@sallyport/test-kit`.",
    from: { path: "^(packages|apps)/([^/]+)/" },
    to: {
      path: ["^(?:packages|apps)/", "^@sallyport/[^/]+/"],
      pathNot: "^$1/$2/",
      dependencyTypes: ["local", "unknown"],
      dependencyTypesNot: ["aliased-workspace"],
    },
  },
  {
    name: "no-dev-dependencies",
    comment: "An installation has no devDependencies.",
    from: { path: "^(?:packages|apps)/[^/]+/src/", pathNot: TEST },
    to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm", "npm-optional", "npm-peer"] },
  },
  {
    name: "no-undeclared-packages",
    comment: "What a package imports is named in its package.json, else it works by accident of hoisting.",
    from: { path: "^(?:packages|apps)/[^/]+/src/", pathNot: TEST },
    to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
  },
  {
    name: "no-unresolvable",
    comment: "An import that leads nowhere.",
    from: {},
    to: { couldNotResolve: true, pathNot: "^@sallyport/[^/]+/" },
  },
];

const required = [
  {
    name: "no-catch-all-folders",
    comment: "A thing belongs to the package and the area whose word it is.",
    module: { path: "(?:^|/)(?:utils?|common|shared|helpers?|types)/", pathNot: "node_modules/" },
    // Nothing has an empty path, so that the mere presence of such a module breaks the rule.
    to: { path: "^$" },
  },
];

const asError = (rule) => ({ severity: "error", ...rule });

module.exports = {
  forbidden: forbidden.map(asError),
  required: required.map(asError),
  options: {
    // TypeScript 7 offers no parser to other tools.
    parser: "swc",
    combinedDependencies: true,
    doNotFollow: { path: "node_modules" },
    // The parser knows no JSX. The console may import what its package.json names, without cycles: the linter sees to that.
    exclude: { path: "^(?:packages|apps)/[^/]+/(?:dist|node_modules)/|^apps/console/" },
    webpackConfig: { fileName: ".ci/workspace-sources.cjs" },
  },
};
