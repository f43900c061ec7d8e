/**
 * Bundles the page at `/docs/offline`, and the server into the published package, `dist/package`: a few files load much faster than thousands. Threads,
 * the macro prelude, data and native modules remain separate files. `third-party.mjs` names what of others the package contains.
 *
 *     node apps/server/bundle.mjs
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build as bundle } from "esbuild";
import { billOfMaterials, foldersIn, noticesOf, ownNotices, readParts } from "./third-party.mjs";

const server = import.meta.dirname;
const root = join(server, "../..");
const target = join(server, "dist/package");

/** Packages installed beside the bundle: native packages, and packages that read their own files at run time. */
const installed = [
  "@cfworker/json-schema",
  "@electric-sql/pglite",
  "@jitl/quickjs-wasmfile-release-sync",
  "@node-rs/argon2",
  "@swc/wasm-typescript",
  "mysql2",
];

/** Packages of which files are copied, or data is made. */
const copied = ["@electric-sql/pglite", "@zxcvbn-ts/language-common", "swagger-ui-dist"];

/** The files of Swagger UI that `/docs` delivers. The package is not installed with the server: it is six times as large and reports installations. */
const swagger = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** Optional dependencies of libraries that are not installed. */
const absent = ["better-sqlite3", "mariadb", "mysql", "oracledb", "pg-native", "pg-query-stream", "sqlite3", "tedious"];

/** Thread entry points. Each keeps its path within its package. */
const threads = [
  "packages/crypto/dist/channels/block-thread-main.js",
  "packages/crypto/dist/hashing/hash-thread-main.js",
  "packages/macros/dist/worker/worker.js",
  "packages/storage-pglite/dist/backend/engine-thread.js",
];

/** Files that the server reads at run time. They keep their paths; those of the server lose `apps/server`. */
const files = [
  "apps/server/macros/demo",
  "apps/server/macros/template",
  "apps/server/mail",
  "apps/server/models",
  "packages/crypto/data",
  "packages/http/dist/offline.js",
  "packages/http/dist/swagger-ui",
  "packages/http/public",
  "packages/macros/dist/authoring",
  "packages/macros/dist/prelude",
  "packages/storage-pglite/data",
];

const placeOf = (path) => relative("apps/server", path).replace(/^(?:\.\.\/)+/, "");
const isRead = (path) => !/\.(?:d\.ts|map|tsbuildinfo)$/.test(path);
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** Resolves `import.meta.url` to the original location of the module, not to that of the bundle. */
const ownAddresses = {
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:packages|apps)\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return null;
      const place = JSON.stringify(`../${placeOf(relative(root, path))}`);
      return { contents: text.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`), loader: "js" };
    });
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  external: [...installed, ...absent],
  // CommonJS libraries use `require` for Node modules.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
};

const metafiles = [];

/** Bundles, and keeps what the bundle contains. */
async function build(options) {
  const { metafile } = await bundle({ ...options, metafile: true });
  metafiles.push(metafile);
}

await build({
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  entryPoints: ["packages/http/offline/offline.js"],
  outfile: "packages/http/dist/offline.js",
});
for (const name of swagger)
  cpSync(join(root, "node_modules/swagger-ui-dist", name), join(root, "packages/http/dist/swagger-ui", name));
rmSync(target, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: {
    main: "apps/server/dist/main.js",
    operator: "apps/server/dist/operator/index.js",
    testing: "apps/server/dist/testing/index.js",
  },
  outdir: join(target, "dist"),
  splitting: true,
  sourcemap: "linked",
  sourcesContent: false,
  plugins: [ownAddresses],
});
for (const thread of threads) await build({ ...common, entryPoints: [thread], outfile: join(target, thread) });
for (const each of files) cpSync(join(root, each), join(target, placeOf(each)), { recursive: true, filter: isRead });
cpSync(join(root, "apps/console/dist"), join(target, "console"), { recursive: true, filter: isRead });
cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
cpSync(join(root, "apps/server/README.md"), join(target, "README.md"));
writeThirdParties();
namePlainSources(join(target, "dist"));
writeFileSync(join(target, "package.json"), `${JSON.stringify(packageFile(), null, 2)}\n`);

/** Rewrites source map paths relative to the repository root, for stack traces. */
function namePlainSources(folder) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".map"))) {
    const map = JSON.parse(readFileSync(join(folder, name), "utf8"));
    map.sources = map.sources.map((source) => relative(root, join(folder, source)));
    writeFileSync(join(folder, name), JSON.stringify(map));
  }
}

/** Names the packages that the bundles contain, and in the bill of materials also those beside them. Fails if a licence text is missing. */
function writeThirdParties() {
  const folderOf = (name) => `node_modules/${name}`;
  const { packages: inConsole } = readJson("apps/console/.bundle.json");
  const contained = [...foldersIn(metafiles), ...inConsole, ...copied.map(folderOf)];
  const beside = Object.keys(packageFile().dependencies).map(folderOf);
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const notices = noticesOf(readParts(root, contained), ownNotices(root, packages));
  writeFileSync(join(target, "THIRD-PARTY-NOTICES"), notices);
  const bill = billOfMaterials(readJson("apps/server/package.json"), readParts(root, [...contained, ...beside]));
  writeFileSync(join(target, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
}

/** The published `package.json`: the server's own, with only the dependencies outside the bundle. */
function packageFile() {
  const own = readJson("apps/server/package.json");
  const others = readdirSync(join(root, "packages")).map((name) => readJson(`packages/${name}/package.json`));
  const versions = Object.assign({}, ...others.map(({ dependencies }) => dependencies));
  const { name, version, description, license, type, engines, peerDependencies, peerDependenciesMeta } = own;
  const dependencies = Object.fromEntries(
    installed.filter((each) => !(each in peerDependencies)).map((each) => [each, versions[each]]),
  );
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    // The package is a command: its modules are not an interface. `@sallyport/cli` and `@sallyport/testing` alone import these.
    exports: {
      "./package.json": "./package.json",
      "./operator": "./dist/operator.js",
      "./testing": "./dist/testing.js",
    },
    files: readdirSync(target).toSorted(),
    bin: { "sallyport-server": "dist/main.js" },
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
}
