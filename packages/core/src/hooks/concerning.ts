import type { Model } from "../model/model.ts";

/** The names of the classes whose objects a hook concerns: its own, and those below them. */
export function concernedClasses(
  { classes }: { readonly classes: readonly string[] },
  model: Model,
): ReadonlySet<string> {
  return new Set(classes.flatMap((name) => model.find(name)?.family ?? []));
}

/** Those of the hooks that concern objects of a class. */
export function concerning<H extends { readonly classes: readonly string[] }>(
  hooks: readonly H[],
  className: string,
  model: Model,
): readonly H[] {
  return hooks.filter((hook) => concernedClasses(hook, model).has(className));
}
