import { agentsSuite } from "./agents-suite.ts";
import { clockSuite } from "./clock-suite.ts";
import { diffSuite } from "./diff-suite.ts";
import { examplesSuite } from "./examples-suite.ts";
import { failuresSuite } from "./failures-suite.ts";
import { connectedSuite } from "./connected-suite.ts";
import { controlsSuite } from "./controls-suite.ts";
import { coverageSuite } from "./coverage-suite.ts";
import { matchersSuite } from "./matchers-suite.ts";
import { providersSuite } from "./providers-suite.ts";
import { recordSuite } from "./record-suite.ts";
import { serveSuite } from "./serve-suite.ts";
import { serviceSuite } from "./service-suite.ts";
import { storagesSuite } from "./storages-suite.ts";
import { trapsSuite } from "./traps-suite.ts";

describe("service", () => {
  serviceSuite();
});
describe("agents", () => {
  agentsSuite();
});
describe("connected", () => {
  connectedSuite();
});
describe("controls", () => {
  controlsSuite();
});
describe("serve", () => {
  serveSuite();
});
describe("record", () => {
  recordSuite();
});
describe("diff", () => {
  diffSuite();
});
describe("failures", () => {
  failuresSuite();
});
describe("clock", () => {
  clockSuite();
});
describe("traps", () => {
  trapsSuite();
});
describe("providers", () => {
  providersSuite();
});
describe("matchers", () => {
  matchersSuite();
});
describe("coverage", () => {
  coverageSuite();
});
describe("storages", () => {
  storagesSuite();
});
describe("examples", () => {
  examplesSuite();
});
