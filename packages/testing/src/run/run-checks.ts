import { AssertionError } from "node:assert";
import { SallyportError, TransportError } from "@sallyport/client";
import { type Check, type CheckResult, NotApplicable, type Outcome } from "./check.ts";

/** Runs checks one after another, until all are run or `isOver` says so. `note` gets each result at once. */
export async function runChecks<Context>(
  context: Context,
  checks: readonly Check<Context>[],
  note: (result: CheckResult) => void,
  isOver: () => boolean,
): Promise<void> {
  for (const check of checks) {
    if (isOver()) return;
    note(await runCheck(check, context));
  }
}

/** Runs a check. Never rejects: a failure is a result. */
export async function runCheck<Context>(
  { section, title, mode, run }: Check<Context>,
  context: Context,
): Promise<CheckResult> {
  const start = performance.now();
  const result = (outcome: Outcome, reason?: string): CheckResult => ({
    section,
    title,
    mode,
    outcome,
    duration: performance.now() - start,
    ...(reason === undefined ? {} : { reason }),
  });
  try {
    await run(context);
    return result("passed");
  } catch (error) {
    if (error instanceof NotApplicable) return result("notApplicable", error.message);
    return result("failed", described(error));
  }
}

function described(error: unknown): string {
  if (error instanceof SallyportError) {
    const { code, message, httpStatus, debugMessage, requestId } = error;
    const more = [debugMessage, requestId === undefined ? undefined : `request id ${requestId}`];
    return [`the server answered ${httpStatus}/${code}: ${message}`, ...more.filter(Boolean)].join("; ");
  }
  if (error instanceof AssertionError || error instanceof TransportError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
