import { z } from "zod";
import type { Kind } from "./kind.ts";

/** Several values of one kind; commas stand between them in the environment. */
export function listOf<Item>(item: Kind<Item>): Kind<Item[]> {
  return {
    type: `list of ${item.type}`,
    schema: z.array(item.schema, { error: "must be a list" }),
    fromText: (text) => text.split(",").map((part) => item.fromText(part.trim())),
    toFile: (items) => items.map((each) => item.toFile(each)),
  };
}
