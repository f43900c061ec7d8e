import { attributeRightsSuite } from "./attribute-rights-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("rights on attributes", attributeRightsSuite, { environment: { DEBUG_MESSAGES: "true" } });
