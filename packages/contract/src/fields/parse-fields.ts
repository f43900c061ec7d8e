import { type ErrorCode, isErrorCode, ServiceError } from "@sallyport/core/errors";
import type { z } from "zod";

/**
 * Parses fields by a schema. Of several faults the one whose code comes first in `order` is answered, others after
 * them; a fault without a code of its own is 307. The detail names the place as a JSON pointer.
 */
export function parseFields<T extends z.ZodType>(schema: T, input: unknown, order: readonly ErrorCode[]): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const code = Number(issue.message);
    return { code: isErrorCode(code) ? code : (307 as const), pointer: pointerOf(issue.path) };
  });
  const rank = ({ code }: { code: ErrorCode }) => (order.includes(code) ? order.indexOf(code) : order.length);
  const [first] = faults.toSorted((a, b) => rank(a) - rank(b));
  throw new ServiceError(first?.code ?? 307, { detail: `at ${first?.pointer ?? "/"}` });
}

/** Names of members are the client's text: they are shortened, and hold nothing that a terminal or a log would act upon. */
function pointerOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => String(part).slice(0, 64).replaceAll(/[^\x20-\x7e]/g, "?"));
  return `/${parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}
