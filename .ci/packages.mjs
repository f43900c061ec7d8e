import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

/** The workspaces, as paths relative to the root. */
export const workspaces = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`),
);

/**
 * The packages that a release publishes: their folder, and the folder of their source. The server is published as a bundle,
 * a package with `publishConfig.directory` from there.
 *
 * @returns {{folder: string, source: string}[]}
 */
export const publicPackages = [
  ...workspaces
    .map((source) => ({ source, manifest: readJson(`${source}/package.json`) }))
    .filter(({ manifest }) => !manifest.private)
    .map(({ source, manifest }) => ({ folder: join(source, manifest.publishConfig?.directory ?? ""), source })),
  { folder: "apps/server/dist/package", source: "apps/server" },
];
