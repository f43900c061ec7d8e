import { AssertionError } from "node:assert";
import { describeResponse } from "./describe-response.ts";
import type { ReceivedResponse } from "./received-response.ts";
import { envelopeProblem, errorProblem, successProblem } from "./response-problems.ts";

export type { ReceivedResponse } from "./received-response.ts";
export { stable, type StableResponse } from "./stable.ts";

/** Throws an `AssertionError` unless the response is an envelope as the contract defines it. */
export function assertEnvelope(response: ReceivedResponse): void {
  throwIf(envelopeProblem(response), response, assertEnvelope);
}

/** Throws an `AssertionError` unless the response is a success with `data`. */
export function assertSuccess(response: ReceivedResponse): void {
  throwIf(successProblem(response), response, assertSuccess);
}

/** Throws an `AssertionError` unless the response is the error with this code, its HTTP status and name. */
export function assertError(response: ReceivedResponse, code: number): void {
  throwIf(errorProblem(response, code), response, assertError);
}

function throwIf(problem: string | null, response: ReceivedResponse, stackStartFn: (...args: never[]) => void): void {
  if (problem !== null)
    throw new AssertionError({ message: `${problem}\n\n${describeResponse(response)}`, stackStartFn });
}
