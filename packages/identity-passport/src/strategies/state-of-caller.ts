import type { StateStore } from "./oauth-strategy.ts";

/**
 * The state of one log-in for its strategy. A verifier that comes back as the state's content is what strategies send as
 * `code_verifier`. They look at the number of arguments, so all of them stand here.
 */
export const stateOfCaller = (state: string, codeVerifier: string | null): StateStore => ({
  store: (_request, _verifier, _state, _meta, callback) => callback(new Error("the state is given with every request")),
  verify: (_request, given, _meta, callback) =>
    given === state ? callback(null, codeVerifier ?? true) : callback(null, false, {}),
});
