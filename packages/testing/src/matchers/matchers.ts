import { describeResponse } from "./describe-response.ts";
import type { ReceivedResponse } from "./received-response.ts";
import { envelopeProblem, errorProblem } from "./response-problems.ts";

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

function resultOf(response: ReceivedResponse, problem: string | null, negated: string): MatcherResult {
  const message = () => `${problem ?? negated}\n\n${describeResponse(response)}`;
  return { pass: problem === null, message };
}

/** The matchers for `expect.extend` of Jest and Vitest. */
export const matchers = {
  toBeEnvelope: (response: ReceivedResponse): MatcherResult =>
    resultOf(response, envelopeProblem(response), "The response is an envelope."),
  toBeError: (response: ReceivedResponse, code: number): MatcherResult =>
    resultOf(response, errorProblem(response, code), `The response is the error ${code}.`),
};

/** The types of the matchers, for both test runners. */
export interface ResponseMatchers<R> {
  /** The response is an envelope as the contract defines it: a success with `data`, or an error of the catalogue. */
  toBeEnvelope(): R;
  /** The response is the error with this code, its HTTP status and name. */
  toBeError(code: number): R;
}

interface Extensible {
  extend(more: typeof matchers): void;
}

/** Adds the matchers to the global `expect` of a test runner. */
export function extendExpect({ expect }: { readonly expect?: Extensible }): void {
  if (expect === undefined)
    throw new TypeError("There is no global `expect`. Use `@sallyport/testing/assert` instead.");
  expect.extend(matchers);
}
