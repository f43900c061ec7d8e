/**
 * Bundles the server into the package that is published, `dist/package`: few files load in a fraction of the time that
 * thousands take. What has to be a file of its own (threads, the prelude of macros, data, native modules) stays one.
 *
 *     node apps/server/bundle.mjs
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";

const server = import.meta.dirname;
const root = join(server, "../..");
const target = join(server, "dist/package");

/** Packages that are installed beside the bundle: they are native, or their files are read at run time. */
const installed = [
  "@cfworker/json-schema",
  "@electric-sql/pglite",
  "@jitl/quickjs-wasmfile-release-sync",
  "@node-rs/argon2",
  "@swc/wasm-typescript",
  "mysql2",
  "swagger-ui-dist",
];

/** What libraries look for and can do without. */
const absent = ["better-sqlite3", "mariadb", "mysql", "oracledb", "pg-native", "pg-query-stream", "sqlite3", "tedious"];

/** Threads, each of which is loaded from the place that it has in its package. */
const threads = [
  "packages/crypto/dist/channels/block-thread-main.js",
  "packages/macros/dist/worker/worker.js",
  "packages/storage-pglite/dist/backend/engine-thread.js",
];

/** Files that the server reads, below the package as they are below the root; its own without `apps/server`. */
const files = [
  "apps/server/macros/demo",
  "apps/server/macros/template",
  "apps/server/mail",
  "apps/server/models",
  "packages/crypto/data",
  "packages/http/public",
  "packages/macros/dist/authoring",
  "packages/macros/dist/prelude",
];

const placeOf = (path) => relative("apps/server", path).replace(/^(?:\.\.\/)+/, "");
const isRead = (path) => !/\.(?:d\.ts|map|tsbuildinfo)$/.test(path);
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** Addresses of own files are told from where the module would be, not from where the bundle has it. */
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
  // Libraries in CommonJS ask for modules of Node with it.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
};

rmSync(target, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ["apps/server/dist/main.js"],
  outdir: join(target, "dist"),
  splitting: true,
  sourcemap: "linked",
  sourcesContent: false,
  plugins: [ownAddresses],
});
for (const thread of threads) await build({ ...common, entryPoints: [thread], outfile: join(target, thread) });
for (const each of files) cpSync(join(root, each), join(target, placeOf(each)), { recursive: true, filter: isRead });
cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
cpSync(join(root, "apps/server/README.md"), join(target, "README.md"));
namePlainSources(join(target, "dist"));
writeFileSync(join(target, "package.json"), `${JSON.stringify(packageFile(), null, 2)}\n`);

/** Stack traces name sources as they are called below the root. */
function namePlainSources(folder) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".map"))) {
    const map = JSON.parse(readFileSync(join(folder, name), "utf8"));
    map.sources = map.sources.map((source) => relative(root, join(folder, source)));
    writeFileSync(join(folder, name), JSON.stringify(map));
  }
}

/** The `package.json` to publish: that of the server, without what is in the bundle. */
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
    bin: { "sallyport-server": "dist/main.js" },
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
}
