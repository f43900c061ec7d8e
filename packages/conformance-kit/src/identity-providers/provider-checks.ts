import { equal, failsWith, isTrue } from "../assert/index.ts";
import { logInChecks } from "./log-in-checks.ts";
import { type ProviderCheck, providerChecksOf } from "./provider-check.ts";
import { failsWithoutSecrets } from "./fails-without-secrets.ts";
import { providerFaults } from "./provider-fault.ts";
import { providerSubject } from "./provider-subject.ts";

/** Milliseconds: the timeout for a silent provider, and the tolerance for the refusal. */
const shortTimeout = 500;
const grace = 3_000;

const slow = new Set<string>(["hangs", "trickles"]);

/** One check per fault. The fake provider works before and after it. */
const faultChecks: readonly ProviderCheck[] = providerFaults.map(({ name, does, proof, code }) => ({
  name: `fails with ${code} if the provider ${does}`,
  needs: proof,
  run: async ({ underTest, provider: patient, request, answer }) => {
    const first = await patient.finish(await answer(request()));
    const { provider } = slow.has(name) ? providerSubject(underTest, shortTimeout) : { provider: patient };
    const callback = await answer(request());
    await underTest.injectFault(name);
    const start = performance.now();
    await failsWithoutSecrets(code, underTest, callback, () => provider.finish(callback), "finishing during the fault");
    if (slow.has(name)) isTrue(performance.now() - start < shortTimeout + grace, "The call must end at the timeout");
    await underTest.injectFault(null);
    equal((await patient.finish(await answer(request()))).subject, first.subject, "the subject of the next log-in");
  },
}));

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

const dataChecks: readonly ProviderCheck[] = providerChecksOf({
  "accepts additional data, and its own result again": async ({ provider, underTest }) => {
    const accepted = provider.accept({ ...underTest.data });
    equal(provider.accept({ ...accepted }), accepted, "the accepted data, accepted again");
    isTrue(
      Object.values(accepted).every((value) => typeof value === "string"),
      "Every accepted value must be a text",
    );
  },

  "refuses additional data that are not an object with 608": async ({ provider }) => {
    for (const data of [undefined, null, "text", 7, true, [], [{}]])
      await failsWith(608, async () => provider.accept(data), `accepting ${JSON.stringify(data)}`);
  },

  "refuses missing or malformed additional data with 608, without repeating a value": async ({
    provider,
    underTest,
  }) => {
    for (const name of Object.keys(underTest.data)) {
      for (const value of unwanted) {
        const data = { ...underTest.data, [name]: value };
        await failsWithoutSecrets(608, underTest, null, async () => provider.accept(data), `accepting another ${name}`);
      }
    }
  },

  "passes the check of data that the provider knows": async ({ provider, underTest }) => {
    await provider.check(provider.accept({ ...underTest.data }));
  },
});

/** All checks of the identity provider contract. */
export const providerChecks: readonly ProviderCheck[] = [...dataChecks, ...logInChecks, ...faultChecks];

/** Declared separately, so that no check can disappear unnoticed. */
export const numberOfProviderChecks = 39;
