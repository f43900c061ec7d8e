export { banner, type BannerDatabase, type BannerParts } from "./banner.ts";
export {
  type DemoProviders,
  type DemoProvidersOptions,
  readFakeProvidersAddress,
  startDemoProviders,
} from "./start-demo-providers.ts";
export { demoCredentials } from "./demo-records.ts";
export { type DemoParts, type DemoState, containsDemo, seedDemo } from "./seed-demo.ts";
