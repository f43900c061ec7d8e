import { type ErrorCode, ServiceError } from "@sallyport/core/errors";
import { checkJsonLimits } from "./json-limits.ts";

/** Parses a parameter or part that carries a JSON object. Not JSON: 308; another value: the code given. */
export function parseJsonParameter(name: string, text: string, notAnObject: ErrorCode): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError(308, { detail: `at /${name}` });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError(notAnObject, { detail: `at /${name}` });
  }
  checkJsonLimits(value, [name]);
  return value as Record<string, unknown>;
}
