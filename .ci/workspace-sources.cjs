const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const UNBUILT = { ".": "./dist/index.js" };

function exportsOf(folder) {
  const manifest = join(folder, "package.json");
  return (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).exports) || UNBUILT;
}

/**
 * Import name of every workspace entry point → its source file. The cruiser follows these, so that it judges the sources
 * across packages and needs no build; what a package does not export stays unresolvable.
 */
function workspaceSources(root) {
  const sources = {};
  for (const group of ["packages", "apps"]) {
    if (!existsSync(join(root, group))) continue;
    for (const name of readdirSync(join(root, group))) {
      for (const [subpath, target] of Object.entries(exportsOf(join(root, group, name)))) {
        const built = typeof target === "string" ? target : (target.default ?? target.import);
        // The closing `$` makes the alias match this very name and nothing below it; a pattern matches as it stands.
        sources[`${join("@sallyport", name, subpath)}${subpath.includes("*") ? "" : "$"}`] = join(
          root,
          group,
          name,
          built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"),
        );
      }
    }
  }
  return sources;
}

/** How the cruiser resolves imports below `root`. */
function resolution(root) {
  return {
    alias: workspaceSources(root),
    exportsFields: ["exports"],
    conditionNames: ["import", "node", "default", "types"],
  };
}

module.exports = { resolution, resolve: resolution(join(__dirname, "..")) };
