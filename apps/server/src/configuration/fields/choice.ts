import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

/** One of a few words. */
export function choice<const Word extends string>(...words: readonly [Word, ...Word[]]): Kind<Word> {
  const quoted = words.map((word) => JSON.stringify(word));
  const wanted = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return { type: quoted.join(" | "), schema: z.enum(words, refusal(wanted)), fromText: asIs, toFile: asIs };
}
