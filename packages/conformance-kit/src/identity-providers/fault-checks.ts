import { equal, holds } from "../assert/index.ts";
import { keepsSilent } from "./keeps-silent.ts";
import type { ProviderCheck } from "./provider-check.ts";
import { providerFaults } from "./provider-fault.ts";
import { providerSubject } from "./provider-subject.ts";

/** Milliseconds for a provider that does not answer, and how much later a refusal may come. */
const impatient = 500;
const grace = 3_000;

const slow = new Set<string>(["hangs", "trickles"]);

/** Each fault, with an imitation that behaves before and afterwards. */
export const faultChecks: readonly ProviderCheck[] = providerFaults.map(({ name, does, proof, code }) => ({
  name: `answers ${code} to a provider that ${does}`,
  needs: proof,
  run: async ({ underTest, provider: patient, request, answer }) => {
    const first = await patient.finish(await answer(request()));
    const { provider } = slow.has(name) ? providerSubject(underTest, impatient) : { provider: patient };
    const given = await answer(request());
    await underTest.misbehave(name);
    const start = performance.now();
    await keepsSilent(code, underTest, given, () => provider.finish(given), "finishing meanwhile");
    if (slow.has(name)) holds(performance.now() - start < impatient + grace, "Who is silent is not waited for");
    await underTest.misbehave(null);
    equal((await patient.finish(await answer(request()))).subject, first.subject, "who came afterwards");
  },
}));
