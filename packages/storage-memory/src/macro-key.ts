import type { MacroVersion } from "@sallyport/core";

/** Under which a version of a macro stands in its table. */
export function macroKey({ name, version }: Pick<MacroVersion, "name" | "version">): string {
  return `${version}:${name}`;
}
