import { resolve } from "node:path";
import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

/** A path in the file system; in the file relative to the file, in the environment to the working directory. */
export function path(): Kind<string> {
  const wanted = "a path";
  const schema = z.string(refusal(wanted)).min(1, { error: `must be ${wanted}` });
  return { type: "path", schema, fromText: asIs, toFile: asIs, inFolder: (text, folder) => resolve(folder, text) };
}
