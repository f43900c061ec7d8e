import { equal, failsWith, holds } from "../assert/index.ts";
import { keepsSilent } from "./keeps-silent.ts";
import { type ProviderCheck, providerChecksOf } from "./provider-check.ts";

const unwanted: readonly unknown[] = [
  undefined,
  null,
  "",
  "   ",
  7,
  true,
  [],
  {},
  ["text"],
  "a\u0000b",
  "a\nb",
  `long${"x".repeat(10_000)}`,
];

export const dataChecks: readonly ProviderCheck[] = providerChecksOf({
  "accepts additional data, and what it made of them": async ({ provider, underTest }) => {
    const accepted = provider.accept({ ...underTest.data });
    equal(provider.accept({ ...accepted }), accepted, "what was accepted, accepted again");
    holds(
      Object.values(accepted).every((value) => typeof value === "string"),
      "All that was accepted are texts",
    );
  },

  "refuses additional data that are no object with 608": async ({ provider }) => {
    for (const data of [undefined, null, "text", 7, true, [], [{}]])
      await failsWith(608, async () => provider.accept(data), `accepting ${JSON.stringify(data)}`);
  },

  "refuses additional data in which something is missing or malformed with 608, without repeating any of them": async ({
    provider,
    underTest,
  }) => {
    for (const name of Object.keys(underTest.data)) {
      for (const value of unwanted) {
        const data = { ...underTest.data, [name]: value };
        await keepsSilent(608, underTest, null, async () => provider.accept(data), `accepting another ${name}`);
      }
    }
  },

  "finds nothing wrong with data that the provider knows": async ({ provider, underTest }) => {
    await provider.check(provider.accept({ ...underTest.data }));
  },
});
