import { createHash } from "node:crypto";
import type { AuthorizationRequest } from "@sallyport/core";
import { equal, failsWith, isTrue } from "../assert/index.ts";
import { failsWithoutSecrets } from "./fails-without-secrets.ts";
import { type ProviderCheck, providerChecksOf } from "./provider-check.ts";

const unsent = [
  undefined,
  "",
  " ",
  "none",
  "\u0000",
  "c".repeat(100_000),
  "{",
  '{"a":1}',
  "\uD800",
  "../..",
  "__proto__",
];

/** Asserts that a callback fails with 324 if these values come from another log-in. */
function refusesWith(
  what: string,
  otherwise: (request: AuthorizationRequest) => Partial<AuthorizationRequest>,
): ProviderCheck["run"] {
  return async ({ provider, request, answer, underTest }) => {
    const callback = await answer(request());
    await failsWithoutSecrets(
      324,
      underTest,
      callback,
      () => provider.finish({ ...callback, ...otherwise(request()) }),
      what,
    );
  };
}

export const logInChecks: readonly ProviderCheck[] = providerChecksOf({
  "returns a log-in address with state and callback, and without secrets": async ({ provider, request, underTest }) => {
    const authorization = request();
    const address = new URL(await provider.begin(authorization));
    equal(address.searchParams.getAll("state"), [authorization.state], "the state in the address");
    equal(address.searchParams.getAll("redirect_uri"), [authorization.redirectUri], "the callback in the address");
    for (const secret of [authorization.codeVerifier, ...underTest.secrets])
      isTrue(!address.href.includes(encodeURIComponent(secret)), "The address must not contain a secret");
  },

  "sends the S256 challenge of the code verifier": {
    needs: "pkce",
    run: async ({ provider, request }) => {
      const authorization = request();
      const { searchParams } = new URL(await provider.begin(authorization));
      equal(searchParams.get("code_challenge_method"), "S256", "the challenge method");
      const challenge = createHash("sha256").update(authorization.codeVerifier).digest("base64url");
      equal(searchParams.get("code_challenge"), challenge, "the challenge");
    },
  },

  "sends the nonce": {
    needs: "idToken",
    run: async ({ provider, request }) => {
      const authorization = request();
      equal(new URL(await provider.begin(authorization)).searchParams.get("nonce"), authorization.nonce, "the nonce");
    },
  },

  "returns the same identity at every log-in of a user, and different identities for different users": async ({
    provider,
    request,
    answer,
    underTest,
  }) => {
    const logIn = async (user?: string) => provider.finish(await answer(request(), user));
    const [one, again, other] = [await logIn(), await logIn(), await logIn(underTest.users[1])];
    equal([again.issuer, again.subject], [one.issuer, one.subject], "the identity of the same user");
    isTrue(one.issuer !== other.issuer || one.subject !== other.subject, "Two users must have different identities");
    for (const text of [one.issuer, one.subject])
      isTrue(text !== "" && text.length <= 255, "Issuer and subject must have 1 to 255 characters");
    for (const text of [one.name, one.surname, one.email])
      isTrue(
        typeof text === "string" && text.length <= 510,
        "Name and e-mail address must have at most 255 characters",
      );
  },

  "refuses a cancelled log-in with 324": async ({ provider, request, answer, underTest }) => {
    const cancelled = await answer(request(), null);
    await failsWithoutSecrets(
      324,
      underTest,
      cancelled,
      () => provider.finish(cancelled),
      "finishing a cancelled log-in",
    );
  },

  "refuses a callback of another log-in with 324": async ({ provider, request, answer, underTest }) => {
    const authorization = request();
    const callback = await answer(authorization);
    const states = [undefined, "", "another", `${authorization.state}x`, authorization.state.slice(1)];
    for (const state of states) {
      const parameters = new Map(callback.parameters);
      parameters.delete("state");
      if (state !== undefined) parameters.set("state", state);
      const finish = () => provider.finish({ ...authorization, parameters });
      await failsWithoutSecrets(324, underTest, callback, finish, "finishing with another state");
    }
  },

  "refuses a callback with unexpected parameters with 324": async ({ provider, request, underTest }) => {
    for (const name of ["code", "error", "id_token", "user", "__proto__", "constructor"]) {
      for (const value of unsent) {
        const authorization = request();
        const parameters = new Map([
          ["state", authorization.state],
          ...(value === undefined ? [] : [[name, value] as const]),
        ]);
        const finish = () => provider.finish({ ...authorization, parameters });
        await failsWithoutSecrets(324, underTest, null, finish, `finishing with another ${name}`);
      }
    }
  },

  "accepts a code once, in twenty concurrent calls and afterwards": async ({ provider, request, answer }) => {
    const callback = await answer(request());
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => provider.finish(callback)));
    equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1, "number of accepted log-ins");
    await failsWith(324, () => provider.finish(callback), "finishing again");
  },

  "refuses a code for another code verifier with 324": {
    needs: "pkce",
    run: refusesWith("finishing with another code verifier", ({ codeVerifier }) => ({ codeVerifier })),
  },

  "refuses a token for another nonce with 324": {
    needs: "idToken",
    run: refusesWith("finishing with another nonce", ({ nonce }) => ({ nonce })),
  },

  "refuses a code for another callback address with 324": refusesWith(
    "finishing at another callback address",
    ({ redirectUri }) => ({ redirectUri: `${redirectUri}/other` }),
  ),
});
