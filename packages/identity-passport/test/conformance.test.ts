import { providerConformance } from "@sallyport/conformance-kit";
import { providerTypes } from "@sallyport/core";
import { imitatedProviders } from "./imitated-providers.ts";
import { providerUnderTest } from "./provider-under-test.ts";

const world = await imitatedProviders();

afterAll(() => world.close());

for (const type of providerTypes) await providerConformance(providerUnderTest(world, type));
