import { inspect } from "node:util";
import type { ErrorCode } from "@sallyport/storage";
import type { AuthorizationAnswer } from "@sallyport/core";
import { ConformanceError, failsWith } from "../assert/index.ts";
import type { ProviderUnderTest } from "./provider-under-test.ts";

/** Asserts that a call fails with this code, and that the error contains no secret and no provider response. */
export async function failsWithoutSecrets(
  code: ErrorCode,
  underTest: ProviderUnderTest,
  answer: AuthorizationAnswer | null,
  call: () => Promise<unknown>,
  what: string,
): Promise<void> {
  const error = await failsWith(code, call, what);
  const report = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
  const secrets = [
    underTest.words,
    ...underTest.secrets,
    ...(answer === null ? [] : [answer.state, answer.nonce, answer.codeVerifier, ...answer.parameters.values()]),
  ];
  // The start of every signed token.
  for (const secret of [...secrets, "eyJ"]) {
    if (secret !== "" && report.includes(secret))
      throw new ConformanceError(
        `${what}: the error must not contain data of the exchange between browser, server and provider.`,
      );
  }
}
