import { createHash } from "node:crypto";
import { equal, failsWith, holds } from "../assert/index.ts";
import { keepsSilent } from "./keeps-silent.ts";
import type { ProviderCheck } from "./provider-check.ts";

export const logInChecks: readonly ProviderCheck[] = [
  {
    name: "begins at an address with state and callback, and no secret",
    needs: null,
    run: async ({ provider, request, underTest }) => {
      const asked = request();
      const address = new URL(await provider.begin(asked));
      equal(address.searchParams.getAll("state"), [asked.state], "the state in the address");
      equal(address.searchParams.getAll("redirect_uri"), [asked.redirectUri], "the callback in the address");
      for (const secret of [asked.codeVerifier, ...underTest.secrets])
        holds(!address.href.includes(encodeURIComponent(secret)), "No secret is in the address");
    },
  },
  {
    name: "begins with the S256 challenge of the verifier",
    needs: "pkce",
    run: async ({ provider, request }) => {
      const asked = request();
      const { searchParams } = new URL(await provider.begin(asked));
      equal(searchParams.get("code_challenge_method"), "S256", "the method");
      equal(
        searchParams.get("code_challenge"),
        createHash("sha256").update(asked.codeVerifier).digest("base64url"),
        "the challenge",
      );
    },
  },
  {
    name: "begins with the nonce",
    needs: "idToken",
    run: async ({ provider, request }) => {
      const asked = request();
      equal(new URL(await provider.begin(asked)).searchParams.get("nonce"), asked.nonce, "the nonce");
    },
  },
  {
    name: "tells the same identity whenever somebody comes, and another of somebody else",
    needs: null,
    run: async ({ provider, request, answer, underTest }) => {
      const [one, again, other] = [
        await provider.finish(await answer(request())),
        await provider.finish(await answer(request())),
        await provider.finish(await answer(request(), underTest.people[1])),
      ];
      equal([again.issuer, again.subject], [one.issuer, one.subject], "the identity of the same person");
      holds(one.issuer !== other.issuer || one.subject !== other.subject, "Two people are two identities");
      for (const text of [one.issuer, one.subject])
        holds(text !== "" && text.length <= 255, "Issuer and subject have 1 to 255 characters");
      for (const text of [one.name, one.surname, one.email])
        holds(
          typeof text === "string" && text.length <= 510,
          "Name, surname and e-mail address are texts of at most 255 characters",
        );
    },
  },
  {
    name: "refuses whoever cancels with 324",
    needs: null,
    run: async ({ provider, request, answer, underTest }) => {
      const cancelled = await answer(request(), null);
      await keepsSilent(324, underTest, cancelled, () => provider.finish(cancelled), "finishing what was cancelled");
    },
  },
  {
    name: "refuses a callback of another log-in with 324",
    needs: null,
    run: async ({ provider, request, answer, underTest }) => {
      const asked = request();
      const given = await answer(asked);
      const states = [undefined, "", "another", `${asked.state}x`, asked.state.slice(1)];
      for (const state of states) {
        const parameters = new Map(given.parameters);
        parameters.delete("state");
        if (state !== undefined) parameters.set("state", state);
        await keepsSilent(
          324,
          underTest,
          given,
          () => provider.finish({ ...asked, parameters }),
          "finishing with another state",
        );
      }
    },
  },
  {
    name: "refuses a callback with anything else in it than the provider sends with 324",
    needs: null,
    run: async ({ provider, request, underTest }) => {
      const values = [
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
      for (const name of ["code", "error", "id_token", "user", "__proto__", "constructor"]) {
        for (const value of values) {
          const asked = request();
          const parameters = new Map([
            ["state", asked.state],
            ...(value === undefined ? [] : [[name, value] as const]),
          ]);
          await keepsSilent(
            324,
            underTest,
            null,
            () => provider.finish({ ...asked, parameters }),
            `finishing with another ${name}`,
          );
        }
      }
    },
  },
  {
    name: "takes a code once, of twenty at once and afterwards",
    needs: null,
    run: async ({ provider, request, answer }) => {
      const given = await answer(request());
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => provider.finish(given)));
      equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1, "how many were let in");
      await failsWith(324, () => provider.finish(given), "finishing once more");
    },
  },
  {
    name: "refuses a code that was given for another verifier with 324",
    needs: "pkce",
    run: async ({ provider, request, answer, underTest }) => {
      const given = await answer(request());
      await keepsSilent(
        324,
        underTest,
        given,
        () => provider.finish({ ...given, codeVerifier: request().codeVerifier }),
        "finishing with another verifier",
      );
    },
  },
  {
    name: "refuses a token that was made for another nonce with 324",
    needs: "idToken",
    run: async ({ provider, request, answer, underTest }) => {
      const given = await answer(request());
      await keepsSilent(
        324,
        underTest,
        given,
        () => provider.finish({ ...given, nonce: request().nonce }),
        "finishing with another nonce",
      );
    },
  },
  {
    name: "refuses a code that was given for another callback with 324",
    needs: null,
    run: async ({ provider, request, answer, underTest }) => {
      const given = await answer(request());
      await keepsSilent(
        324,
        underTest,
        given,
        () => provider.finish({ ...given, redirectUri: `${given.redirectUri}/other` }),
        "finishing at another callback",
      );
    },
  },
];
