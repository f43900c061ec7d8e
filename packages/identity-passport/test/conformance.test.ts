import { providerConformance } from "@sallyport/conformance-kit";
import { providerTypes } from "@sallyport/core";
import { startFakeProviders } from "@sallyport/test-kit/providers/fake-providers";
import { providerUnderTest } from "@sallyport/test-kit/providers/provider-under-test";

const world = await startFakeProviders();

afterAll(() => world.close());

for (const type of providerTypes) await providerConformance(providerUnderTest(world, type));
