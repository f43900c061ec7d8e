import { isDay } from "../cell-text.ts";
import { parseNumber } from "../exact-number.ts";
import type { FieldFault } from "./object-edits.ts";

/** What a text says, or why it is no value. */
export type Reading = { readonly value: unknown } | { readonly fault: FieldFault };

export function readNumber(text: string): Reading {
  const parsed = parseNumber(text);
  if ("number" in parsed) return { value: parsed.number };
  return { fault: parsed.fault === "form" ? "number" : "rounded" };
}

export function readBoolean(text: string): Reading {
  const word = text.trim().toLowerCase();
  return word === "true" || word === "false" ? { value: word === "true" } : { fault: "boolean" };
}

const instantForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A day, or an instant with its zone. Without one, the text could mean several instants. */
export function readDate(text: string): Reading {
  const trimmed = text.trim();
  if (isDay(trimmed)) {
    const day = new Date(`${trimmed}T00:00:00Z`);
    const isOne = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(trimmed);
    return isOne ? { value: trimmed } : { fault: "date" };
  }
  const instant = new Date(trimmed.replace(" ", "T"));
  if (!instantForm.test(trimmed) || Number.isNaN(instant.getTime())) return { fault: "date" };
  return { value: instant.toISOString() };
}
