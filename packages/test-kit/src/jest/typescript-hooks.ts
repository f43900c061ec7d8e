/**
 * Node's module hooks for TypeScript modules. A module of a test belongs to the test file whose number its URL has. The
 * sources of a package belong to all: they stay loaded, as built packages do.
 */
import { readFile, stat } from "node:fs/promises";
import type { LoadHook, ResolveHook } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const all = "all";
const isSource = (url: string) => /\/(?:packages|apps)\/[^/]+\/src\/(?!.*\.test\.ts$)/.test(url);

const fileOf = (url: string | undefined) => (url === undefined ? null : new URL(url).searchParams.get("file"));

export const resolve: ResolveHook = async (specifier, context, next) => {
  const file = fileOf(context.parentURL);
  if (file === null) return next(specifier, context);
  // Only Jest's own runtime can load this package. The runtime here keeps what it exports in the global scope.
  if (specifier === "@jest/globals")
    return { url: `data:text/javascript,export const {expect,jest}=globalThis;//${file}`, shortCircuit: true };
  const resolved = await next(specifier, context);
  if (!resolved.url.endsWith(".ts")) return resolved;
  return { ...resolved, url: `${resolved.url}?file=${isSource(resolved.url) ? all : file}` };
};

/** JavaScript of the modules so far, with the versions of their files: many test files import the same fixtures. */
const translated = new Map<string, { readonly version: number; readonly code: string }>();

async function translate(path: string): Promise<string> {
  const { mtimeMs: version } = await stat(path);
  const cached = translated.get(path);
  if (cached?.version === version) return cached.code;
  const { code } = await transform(await readFile(path, "utf8"), {
    loader: "ts",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    sourcesContent: false,
    sourcefile: basename(path),
  });
  translated.set(path, { version, code });
  return code;
}

export const load: LoadHook = async (url, context, next) => {
  if (fileOf(url) === null || !new URL(url).pathname.endsWith(".ts")) return next(url, context);
  return { format: "module", source: await translate(fileURLToPath(url)), shortCircuit: true };
};
