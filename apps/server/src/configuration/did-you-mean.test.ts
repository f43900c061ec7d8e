import { didYouMean } from "./did-you-mean.ts";

test.each([
  ["prot", "port"],
  ["Host", "host"],
  ["basepath", "basePath"],
  ["timeout", "timeouts"],
  ["truestdProxies", "trustedProxies"],
  ["xyz", undefined],
  ["", undefined],
])("%p means %p", (name, meant) => {
  expect(didYouMean(name, ["host", "port", "basePath", "timeouts", "trustedProxies"])).toBe(meant);
});
