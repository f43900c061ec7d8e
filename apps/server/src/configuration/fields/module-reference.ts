import { resolve } from "node:path";
import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

/** A module to load: a path like `./adapter.js`, relative as any path is, or the name of an installed package. */
export function moduleReference(): Kind<string> {
  const wanted = "a path that begins with ./, ../ or /, or the name of a package";
  const schema = z.string(refusal(wanted)).min(1, { error: `must be ${wanted}` });
  const inFolder = (reference: string, folder: string): string =>
    /^\.\.?\//.test(reference) ? resolve(folder, reference) : reference;
  return { type: "path or package", schema, fromText: asIs, toFile: asIs, inFolder };
}
