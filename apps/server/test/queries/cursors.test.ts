import { startDemoOn, testedEngines } from "../engines.ts";
import { cursorSuite } from "./cursor-suite.ts";

describe.each(testedEngines)("cursors on %s", (engine) => {
  cursorSuite((environment) => startDemoOn(engine, { environment, content: {}, count: 2 }));
});
