import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

const words: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Yes or no. */
export function flag(): Kind<boolean> {
  const fromText = (text: string): unknown => words.get(text.toLowerCase()) ?? text;
  return { type: "true | false", schema: z.boolean(refusal("true or false")), fromText, toFile: asIs };
}
