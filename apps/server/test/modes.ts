import { modes } from "@sallyport/testing/acceptance";
import type { LogInMode } from "@sallyport/client";
import { isFullRun } from "@sallyport/test-kit/scope";

export { headerOf, modes, sessionEndedCode } from "@sallyport/testing/acceptance";

/** The modes of the suites: all in the full run, else one. `routes.test.ts` tries every route in the others. */
export const testedModes: readonly LogInMode[] = isFullRun ? modes : ["session"];
