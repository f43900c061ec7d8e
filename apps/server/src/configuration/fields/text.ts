import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

export interface TextRule {
  /** Completes the sentence "must be …". */
  readonly wanted?: string;
  readonly fits?: (text: string) => boolean;
  readonly type?: string;
}

/** A text that is not empty, unless the rule says what else it must be. */
export function text({
  wanted = "a text that is not empty",
  fits = (value) => value !== "",
  type = "text",
}: TextRule = {}): Kind<string> {
  const schema = z.string(refusal(wanted)).refine(fits, { error: `must be ${wanted}` });
  return { type, schema, fromText: asIs, toFile: asIs };
}
