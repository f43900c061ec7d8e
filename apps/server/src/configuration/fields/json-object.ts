import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

/** An object of whatever members, for others to judge. */
export function jsonObject(): Kind<Readonly<Record<string, unknown>>> {
  const schema = z.record(z.string(), z.unknown(), refusal("an object"));
  return { type: "object", schema, fromText: asIs, toFile: asIs };
}
