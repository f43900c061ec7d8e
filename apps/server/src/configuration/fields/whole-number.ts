import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

/** A whole number within bounds, both included. */
export function wholeNumber(from: number, to: number): Kind<number> {
  const wanted = `a whole number from ${from} to ${to}`;
  const schema = z
    .int(refusal(wanted))
    .min(from, { error: `must be ${wanted}` })
    .max(to, { error: `must be ${wanted}` });
  const fromText = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);
  return { type: `number ${from}–${to}`, schema, fromText, toFile: asIs };
}
