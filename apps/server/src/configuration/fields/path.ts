import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

export const pathType = "path";

/** A path in the file system; in the file relative to the file, in the environment to the working directory. */
export function path(): Kind<string> {
  const wanted = "a path";
  const schema = z.string(refusal(wanted)).min(1, { error: `must be ${wanted}` });
  return { type: pathType, schema, fromText: asIs, toFile: asIs };
}
